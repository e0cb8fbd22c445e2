import { useLocation, useNavigate } from '@remix-run/react';
import { useEffect, useMemo, useRef, useState } from 'react';
import * as hrefs from '#app/lib/hrefs.ts';
import { useDebouncedUrl } from '#app/lib/use-debounced-url.ts';
import { parseQuery, queryString, type DirectoryQuery } from './directory-query.ts';

/** How long after the last keystroke the URL changes, ms. */
const PAUSE_MS = 250;

/**
 * The query that the page shows: the one in the URL or, ahead of it, the one being typed into the form. The fields
 * are uncontrolled, so that text typed before hydration stays. They are set only when something else changes the
 * URL, such as the Back button.
 */
export function useDirectoryQuery() {
  const { search, key } = useLocation();
  const navigate = useNavigate();
  const form = useRef<HTMLFormElement>(null);
  const inUrl = useMemo(() => parseQuery(new URLSearchParams(search)), [search]);
  const [typed, setTyped] = useState<DirectoryQuery | null>(null);
  /** The query that this form has sent to the URL, until it arrives there. */
  const sent = useRef<string | null>(null);

  const hrefOf = (query: DirectoryQuery) => {
    sent.current = queryString(query);
    return hrefs.computes(sent.current);
  };
  const read = () => form.current && queryOf(form.current);

  /** The history entry at which something was typed: what a link has shown since then stays. */
  const typedAt = useRef<unknown>();
  const { changed, stop } = useDebouncedUrl(PAUSE_MS, () =>
    typed && entryKey() === typedAt.current ? hrefOf(typed) : null,
  );
  useEffect(() => {
    if (!typed) return;
    typedAt.current = entryKey();
    changed();
    return stop;
  }, [typed, changed, stop]);

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
    // The fields are ahead of the URL if someone typed during the navigation, or before hydration.
    if (own || first) setTyped(same ? null : fields);
    else {
      setTyped(null);
      if (!same) fill(form.current, inUrl);
    }
    // The key changes with every navigation, even to the same URL.
  }, [inUrl, key]);

  return {
    query: typed ?? inUrl,
    form,
    onInput: () => setTyped(read()),
    onSubmit: () => {
      const query = read();
      if (query) navigate(hrefOf(query), { replace: true, preventScrollReset: true });
    },
  };
}

/** The key of the history entry, which changes with a navigation before the page renders. */
const entryKey = (): unknown => (window.history.state as { key?: string } | null)?.key;

function queryOf(form: HTMLFormElement): DirectoryQuery {
  const params = new URLSearchParams();
  for (const [name, value] of new FormData(form))
    if (typeof value === 'string') params.append(name, value);
  return parseQuery(params);
}

/** The menus follow the query themselves. */
function fill(form: HTMLFormElement, { q }: DirectoryQuery): void {
  const field = form.elements.namedItem('q');
  if (field instanceof HTMLInputElement) field.value = q;
}
