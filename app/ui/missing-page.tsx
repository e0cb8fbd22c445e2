import { useLocation } from '@remix-run/react';
import { SEARCH_MAX } from '#server/search/search.schema.ts';
import * as hrefs from '#app/lib/hrefs.ts';
import { count, counted } from '#app/lib/formatters.ts';
import button from './button.module.css';
import actions from './error-actions.module.css';
import { LineIcon } from './icons.tsx';
import { Link } from './link.tsx';
import styles from './missing-page.module.css';
import { Operator } from './operator.tsx';
import { Page } from './page.tsx';
import { SearchBox } from './search-box.tsx';
import text from './text.module.css';

/** What an address without a page may have been meant for. */
export interface Nearest {
  kind: 'name' | 'node' | 'page';
  title: string;
  href: string;
}

/** What is there instead; null where a page was missed that nobody looked for near. */
export interface Instead {
  nearest: Nearest | null;
  nodes: number;
  online: number;
  names: number;
}

const HEADING = 'This page doesn’t exist';
const WHAT = { name: 'active name', node: 'node', page: 'page' };

/** An address that is no page: what it may have been meant for, a search for it, and where to start. */
export function MissingPage({ instead }: { instead: Instead | null }) {
  const { pathname } = useLocation();
  const part = lastPart(pathname);
  const nearest = instead?.nearest ?? null;
  return (
    <Page
      title={HEADING}
      intro={
        nearest ? (
          <>
            There is no {WHAT[nearest.kind]}{' '}
            <code>{nearest.kind === 'page' ? shortened(pathname) : shortened(part)}</code>. Did you
            mean {nearest.title}?
          </>
        ) : (
          'Check the address, search for what you expected here, or start from one of these pages.'
        )
      }
      className={styles.page}
    >
      {nearest && (
        <ul className={`${actions.actions} ${styles.nearest}`}>
          <li>
            <Link className={button.primary} to={nearest.href}>
              View {nearest.title}
            </Link>
          </li>
        </ul>
      )}
      <Search part={part} />
      <Ways instead={instead} />
      <p className={text.secondary}>
        Did a link of this site lead here? Tell <Operator />.
      </p>
    </Page>
  );
}

const shortened = (part: string) => (part.length > 64 ? `${part.slice(0, 64)}…` : part);

/** The search across the site, for what the address seems to name. */
const Search = ({ part }: { part: string }) => (
  <form action={hrefs.search()} role="search" aria-label="This page" className={styles.search}>
    <label htmlFor="missing">Search nodes and names</label>
    <SearchBox
      id="missing"
      name="q"
      label="Search nodes and names"
      defaultValue={part.slice(0, SEARCH_MAX)}
      maxLength={SEARCH_MAX}
    />
  </form>
);

function lastPart(pathname: string): string {
  const part = pathname.split('/').findLast((one) => one !== '') ?? '';
  try {
    return decodeURIComponent(part);
  } catch {
    return '';
  }
}

const Ways = ({ instead }: { instead: Instead | null }) => (
  <ul className={styles.ways}>
    <Way
      to={hrefs.map()}
      shape="M3 5l5 -2l4 2l5 -2v12l-5 2l-4 -2l-5 2ZM8 3v12M12 5v12"
      name="View the map"
    >
      {instead
        ? `${counted(instead.nodes, 'node')}, ${count(instead.online)} online`
        : 'Every node and its state'}
    </Way>
    <Way
      to={hrefs.registry()}
      shape="M9 3.5a5.5 5.5 0 1 1 0 11a5.5 5.5 0 1 1 0 -11M13 13l4 4"
      name="Find a name"
    >
      {instead ? counted(instead.names, 'active name') : 'Every active name and what it belongs to'}
    </Way>
    <Way to={hrefs.docs.operators()} shape="M10 4v12M4 10h12" name="Run a node">
      Put it on the map with one command
    </Way>
  </ul>
);

const Way = (props: { to: string; shape: string; name: string; children: string }) => (
  <li>
    <Link to={props.to}>
      <LineIcon path={props.shape} size={20} />
      <span>
        <strong>{props.name}</strong>
        <small>{props.children}</small>
      </span>
      <LineIcon path="M8 5l5 5l-5 5" size={20} />
    </Link>
  </li>
);
