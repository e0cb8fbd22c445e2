import { useLocation, useNavigate } from '@remix-run/react';
import { useCallback, useEffect, useMemo, useRef, useState, type RefObject } from 'react';
import { parseQuery, queryString, sortParameter, type DirectoryQuery } from './query.ts';

/** How long (ms) after the last letter the URL follows. */
const SETTLE_MS = 250;

/**
 * What the page shows: the query of the URL, and ahead of it what is being typed into the form. The
 * fields are the browser's own, so that what was typed before the scripts came is kept; they are set
 * only when the URL changes by something else, such as the Back button.
 */
export function useDirectoryQuery(): {
  query: DirectoryQuery;
  form: RefObject<HTMLFormElement>;
  onInput: () => void;
  onSubmit: () => void;
} {
  const { search, key } = useLocation();
  const navigate = useNavigate();
  const form = useRef<HTMLFormElement>(null);
  const inUrl = useMemo(() => parseQuery(new URLSearchParams(search)), [search]);
  const [typed, setTyped] = useState<DirectoryQuery | null>(null);
  /** The query that this page itself has sent to the URL, until it is there. */
  const sent = useRef<string | null>(null);

  const send = useCallback(
    (query: DirectoryQuery) => {
      sent.current = queryString(query);
      navigate({ search: sent.current }, { replace: true, preventScrollReset: true });
    },
    [navigate],
  );
  const read = () => form.current && queryOf(form.current);

  useEffect(() => {
    if (!typed) return;
    const before = entryKey();
    const timer = setTimeout(() => {
      // A link was followed meanwhile, and a slow device has not shown it yet: it counts.
      if (entryKey() === before) send(typed);
    }, SETTLE_MS);
    return () => clearTimeout(timer);
  }, [typed, send]);

  const arrived = useRef(false);
  useEffect(() => {
    const here = queryString(inUrl);
    const own = sent.current === here;
    const first = !arrived.current;
    sent.current = null;
    arrived.current = true;
    if (!form.current) return setTyped(null);
    const fields = queryOf(form.current);
    const same = queryString({ ...fields, page: inUrl.page }) === here;
    // Typed while the URL was on its way, or before the scripts came.
    if (own || first) setTyped(same ? null : fields);
    else {
      setTyped(null);
      if (!same) fill(form.current, inUrl);
    }
    // The key changes with every navigation, one to the same URL too.
  }, [inUrl, key]);

  return {
    query: typed ?? inUrl,
    form,
    onInput: () => setTyped(read()),
    onSubmit: () => {
      const query = read();
      if (query) send(query);
    },
  };
}

/** Another one after every navigation of the router, before the page shows it. */
const entryKey = (): unknown => (window.history.state as { key?: string } | null)?.key;

function queryOf(form: HTMLFormElement): DirectoryQuery {
  const params = new URLSearchParams();
  for (const [name, value] of new FormData(form))
    if (typeof value === 'string') params.append(name, value);
  return parseQuery(params);
}

function fill(form: HTMLFormElement, query: DirectoryQuery): void {
  const values = {
    q: query.q,
    backend: query.backend,
    free: query.free === 0 ? '' : String(query.free),
    sort: sortParameter(query),
  };
  for (const [name, value] of Object.entries(values)) {
    const field = form.elements.namedItem(name);
    if (field instanceof HTMLInputElement || field instanceof HTMLSelectElement)
      field.value = value;
  }
}
