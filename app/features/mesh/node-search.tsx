import { Form } from '@remix-run/react';
import { useEffect, useRef, type KeyboardEvent } from 'react';
import { SEARCH_MAX, type MeshQuery } from '#server/mesh/mesh-query.schema.ts';
import type { Peer } from '@mesh-registry/protocol/rest/mesh.schema.ts';
import * as hrefs from '#app/lib/hrefs.ts';
import { useLatest } from '#app/lib/polling.ts';
import { useHydrated } from '#app/lib/use-hydrated.ts';
import { useCombobox } from '#app/ui/combobox.tsx';
import { Link } from '#app/ui/link.tsx';
import { SearchField } from '#app/ui/search-field.tsx';
import { StateGlyph } from '#app/ui/state-glyph.tsx';
import styles from './node-search.module.css';
import { FOCUS_CARD, nodeOnMap } from './use-selection.ts';

/** The form of the search, which the other filters belong to as well: without scripts they are sent together. */
export const FILTER_FORM = 'mesh-filter';
/** Matches that are listed below the field. */
const SUGGESTIONS = 6;

interface NodeSearchProps {
  query: MeshQuery;
  /** The first of the matching nodes. `settled`: of this text, not of the one before. */
  found: { peers: Peer[]; total: number; settled: boolean };
  onSearch: (text: string) => void;
  /** Opens a node on the map. */
  onOpen: (node: string) => void;
}

/**
 * Finds a node by its name or ID. With scripts it is a combobox: the arrow keys go through the matches, Enter
 * opens the chosen one, or the only one. Without scripts the matches are links.
 * https://www.w3.org/WAI/ARIA/apg/patterns/combobox/
 */
export function NodeSearch({ query, found, onSearch, onOpen }: NodeSearchProps) {
  const { q } = query;
  const { peers, total, settled } = found;
  const hydrated = useHydrated();
  const suggestions = q === '' || !settled ? [] : peers.slice(0, SUGGESTIONS);
  const combobox = useCombobox(
    suggestions.map(({ id }) => id),
    suggestions.length > 0,
  );

  /** Enter opens this one if no match is chosen. */
  const exact = peers.find(({ id }) => id === q);
  const best = settled ? (total === 1 ? peers[0] : exact) : undefined;
  /** A text that was entered before its matches were known. */
  const entered = useRef<string | null>(null);
  const open = useLatest(onOpen);
  useEffect(() => {
    if (entered.current !== q || !settled) return;
    entered.current = null;
    if (best) open.current(best.id);
  }, [q, best, settled, open]);

  const onEnter = (text: string) => {
    const chosen = suggestions[combobox.active] ?? (text === q ? best : undefined);
    combobox.reset();
    if (chosen) onOpen(chosen.id);
    else if (text !== q || !settled) {
      entered.current = text;
      if (text !== q) onSearch(text);
    }
  };
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.key === 'Enter') onEnter(event.currentTarget.value.trim());
    else if (event.key === 'Escape' && combobox.active >= 0) combobox.reset();
    else if (!combobox.move(event.key)) return;
    event.preventDefault();
  };
  const onInput = () => {
    combobox.reset();
    entered.current = null;
  };
  /** What the form sends beside its own fields. */
  const hidden = {
    view: query.view === 'map' ? '' : query.view,
    status: query.status.join(','),
    class: query.class ?? '',
  };
  return (
    <Form
      id={FILTER_FORM}
      method="get"
      action={hrefs.map()}
      role="search"
      onSubmit={(event) => event.preventDefault()}
    >
      <SearchField
        label="Find a node by name or ID"
        value={q}
        maxLength={SEARCH_MAX}
        onSearch={onSearch}
        input={hydrated ? { ...combobox.field, onKeyDown, onInput } : {}}
      />
      {suggestions.length > 0 && (
        <ul
          id={combobox.list.id}
          className={styles.suggestions}
          role={hydrated ? combobox.list.role : undefined}
          aria-label="Matching nodes"
        >
          {suggestions.map((peer, index) => (
            <li key={peer.id} role={hydrated ? 'none' : undefined}>
              <Link
                to={nodeOnMap(query, peer.id)}
                state={FOCUS_CARD}
                preventScrollReset
                {...(hydrated && combobox.option(index))}
              >
                <StateGlyph state={peer.status} />
                <span>{peer.label}</span>
                {peer.label !== peer.id && <code>{peer.id}</code>}
              </Link>
            </li>
          ))}
        </ul>
      )}
      {Object.entries(hidden).map(
        ([name, value]) => value && <input key={name} type="hidden" name={name} value={value} />,
      )}
    </Form>
  );
}
