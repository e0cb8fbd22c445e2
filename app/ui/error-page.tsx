import { useLocation } from '@remix-run/react';
import { SEARCH_MAX } from '#server/search/search.schema.ts';
import { explainError } from '#app/lib/errors.ts';
import * as hrefs from '#app/lib/hrefs.ts';
import { usePolling } from '#app/lib/polling.ts';
import { useFailedRequestId } from '#app/lib/request-id.tsx';
import { CopyButton } from './copy-button.tsx';
import { ErrorActions } from './error-actions.tsx';
import styles from './error-page.module.css';
import { Link } from './link.tsx';
import { Operator } from './operator.tsx';
import { Page } from './page.tsx';
import { SearchBox } from './search-box.tsx';
import text from './text.module.css';

/** What went wrong, what to do about it, and the ways out. */
export function ErrorPage({ error }: { error: unknown }) {
  const { kind, heading, text: explanation, again } = explainError(error);
  return (
    <Page title={heading} intro={explanation} className={styles.page}>
      {kind === 'missing' ? (
        <>
          <Search />
          <Ways />
          <p className={text.secondary}>
            Did a link of this site lead here? Tell <Operator />.
          </p>
        </>
      ) : (
        <ErrorActions again={again} ways={[WAYS_BY_KIND[kind]]} />
      )}
      {kind === 'unreachable' && <ComeBack />}
      {kind === 'failed' && <RequestId />}
    </Page>
  );
}

const WAYS_BY_KIND = {
  refused: { to: hrefs.map(), text: 'View the map' },
  unreachable: { to: hrefs.map(), text: 'View the map' },
  failed: { to: hrefs.status(), text: 'View status' },
};

/** The search across the site, for what the address seems to name. */
function Search() {
  const { pathname } = useLocation();
  return (
    <form action={hrefs.search()} role="search" aria-label="This page" className={styles.search}>
      <label htmlFor="missing">Search nodes and names</label>
      <SearchBox
        id="missing"
        name="q"
        label="Search nodes and names"
        defaultValue={lastPart(pathname).slice(0, SEARCH_MAX)}
        maxLength={SEARCH_MAX}
      />
    </form>
  );
}

function lastPart(pathname: string): string {
  const part = pathname.split('/').findLast((one) => one !== '') ?? '';
  try {
    return decodeURIComponent(part);
  } catch {
    return '';
  }
}

const WAYS = [
  {
    to: hrefs.map(),
    name: 'View the map',
    about: 'Every node and its state',
    shape: 'M3 5.2 7.5 3.5l5 2 4.5-1.7v11l-4.5 1.7-5-2L3 16.2ZM7.5 3.5v11M12.5 5.5v11',
  },
  {
    to: hrefs.registry(),
    name: 'Find a name',
    about: 'Every active name and what it belongs to',
    shape: 'M9 3.5a5.5 5.5 0 1 1 0 11a5.5 5.5 0 1 1 0-11M13 13l4 4',
  },
  {
    to: hrefs.docs.operators(),
    name: 'Run a node',
    about: 'Put it on the map with one command',
    shape: 'M10 3.5v13M3.5 10h13',
  },
];

const Ways = () => (
  <ul className={styles.ways}>
    {WAYS.map(({ to, name, about, shape }) => (
      <li key={to}>
        <Link to={to}>
          <Sign shape={shape} />
          <span>
            <strong>{name}</strong>
            <small>{about}</small>
          </span>
          <Sign shape="M7.5 4.5 13 10l-5.5 5.5" />
        </Link>
      </li>
    ))}
  </ul>
);

const Sign = ({ shape }: { shape: string }) => (
  <svg viewBox="0 0 20 20" width="20" height="20" aria-hidden>
    <path
      d={shape}
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      strokeLinecap="round"
      strokeLinejoin="round"
    />
  </svg>
);

/** How often a page without an answer asks whether there is one, ms. */
const ASK_MS = 4000;

/** Loads the page again as soon as the service answers. */
function ComeBack() {
  usePolling(
    async (signal) => {
      const answer = await fetch(hrefs.readyz(), { signal, cache: 'no-store' }).catch(() => null);
      if (answer?.ok) window.location.reload();
    },
    { everyMs: ASK_MS },
  );
  return null;
}

/** By which the operator finds what has been logged. */
function RequestId() {
  const id = useFailedRequestId();
  if (id === null) return null;
  return (
    <div className={styles.request}>
      <div>
        <p>
          Request ID <code>{id}</code>
        </p>
        <CopyButton text={id} />
      </div>
      <p className={text.secondary}>
        If it happens again, send this ID to <Operator />.
      </p>
    </div>
  );
}
