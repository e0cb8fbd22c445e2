import { useLocation, useNavigate } from '@remix-run/react';
import { useCallback, useEffect, useMemo, useRef, useState, type RefObject } from 'react';
import {
  parseQuery,
  queryString,
  sortParameter,
  type DirectoryQuery,
} from '../../computes-query.ts';

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
  const { search } = useLocation();
  const navigate = useNavigate();
  const form = useRef<HTMLFormElement>(null);
  const inUrl = useMemo(() => parseQuery(new URLSearchParams(search)), [search]);
  const [typed, setTyped] = useState<DirectoryQuery | null>(null);
  /** The query that this page itself put into the URL last. */
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
    const timer = setTimeout(() => send(typed), SETTLE_MS);
    return () => clearTimeout(timer);
  }, [typed, send]);

  useEffect(() => {
    const here = queryString(inUrl);
    if (sent.current === here) {
      // More may have been typed while the URL was on its way.
      setTyped((typed) => (typed && queryString(typed) !== here ? typed : null));
      return;
    }
    sent.current = null;
    setTyped(null);
    if (form.current && queryString({ ...queryOf(form.current), page: inUrl.page }) !== here)
      fill(form.current, inUrl);
  }, [inUrl]);

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
