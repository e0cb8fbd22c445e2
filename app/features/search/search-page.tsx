import { useLoaderData } from '@remix-run/react';
import {
  HIT_KINDS,
  SEARCH_MAX,
  searchPageHref,
  type HitKind,
  type SearchHit,
} from '#server/search/search.schema.ts';
import * as hrefs from '#app/lib/hrefs.ts';
import { count } from '#app/lib/formatters.ts';
import { Link } from '#app/ui/link.tsx';
import { Page } from '#app/ui/page.tsx';
import { Section } from '#app/ui/section.tsx';
import { SearchHitLine } from '#app/ui/search-hit.tsx';
import { SearchForm } from '#app/ui/search-field.tsx';
import { ShortcutSwitch } from '#app/ui/shortcut-setting.tsx';
import styles from './search-page.module.css';
import type { loadSearch } from './search-page.server.ts';

const HEADINGS: Record<HitKind, string> = {
  name: 'Names',
  node: 'Nodes',
  compute: 'Compute offers',
};

/** The list with every match of one kind. */
const LISTS: Record<HitKind, string> = {
  name: hrefs.registry(),
  node: hrefs.map(),
  compute: hrefs.computes(),
};

const listHref = (kind: HitKind, q: string) =>
  `${LISTS[kind]}?${new URLSearchParams({ ...(kind === 'node' && { view: 'list' }), q }).toString()}`;

/** The results of a search across the site, whose text is in the URL. */
export function SearchPage() {
  const { q, hits, more } = useLoaderData<typeof loadSearch>();
  return (
    <Page title="Search" intro="Nodes, names and compute offers.">
      <div className={styles.field}>
        <SearchForm
          action={hrefs.search()}
          label="Search nodes, names and compute"
          value={q}
          maxLength={SEARCH_MAX}
          keep={{}}
          href={searchPageHref}
          input={{ 'aria-keyshortcuts': '/', ...SITE_SEARCH, autoFocus: true }}
        />
      </div>
      <p className="visually-hidden" role="status">
        {q !== '' && `${count(hits.length)} ${hits.length === 1 ? 'result' : 'results'} shown`}
      </p>
      {q === '' && (
        <div className={styles.hint}>
          <p>
            Enter part of a node’s ID or label, of a name, or of an image. From any page, press{' '}
            <kbd>/</kbd> to search.
          </p>
          <p>
            <ShortcutSwitch />
          </p>
        </div>
      )}
      {q !== '' && hits.length === 0 && <NothingFound q={q} />}
      {HIT_KINDS.map((kind) => (
        <Results
          key={kind}
          kind={kind}
          hits={hits.filter((hit) => hit.kind === kind)}
          more={more.includes(kind) ? listHref(kind, q) : null}
        />
      ))}
    </Page>
  );
}

/** The key `/` moves the focus to the field with this attribute. */
const SITE_SEARCH = { 'data-site-search': '' };

interface ResultsProps {
  kind: HitKind;
  hits: SearchHit[];
  /** The list of all of them; null if these are all. */
  more: string | null;
}

function Results({ kind, hits, more }: ResultsProps) {
  if (hits.length === 0) return null;
  return (
    <Section title={HEADINGS[kind]} className={styles.results}>
      <ul>
        {hits.map((hit) => (
          <li key={hit.id}>
            <Link to={hit.href}>
              <SearchHitLine hit={hit} withKind={false} />
            </Link>
          </li>
        ))}
      </ul>
      {more !== null && (
        <p className={styles.more}>
          More match. <Link to={more}>Show all</Link>
        </p>
      )}
    </Section>
  );
}

function NothingFound({ q }: { q: string }) {
  return (
    <p className={styles.hint}>
      Nothing matches “{q}”. Check whether <Link to={hrefs.name(q)}>the name is available</Link>, or{' '}
      <Link to={hrefs.node(q)}>why a node with this ID isn’t shown</Link>.
    </p>
  );
}
