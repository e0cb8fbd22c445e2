import { useLoaderData, useSearchParams } from '@remix-run/react';
import {
  useEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
  type TouchEvent,
  type WheelEvent,
} from 'react';
import { ConnectionStatus } from '#app/features/live/connection-status.tsx';
import { useMesh } from '#app/features/live/use-live.ts';
import { PageMoment } from '#app/lib/clock.ts';
import { count, nodes } from '#app/lib/formatters.ts';
import card from '#app/ui/card.module.css';
import { isFiltered, meshHref } from '#server/mesh/mesh-query.schema.ts';
import { MapView } from '../map/map-view.tsx';
import type { Selection } from '../map/use-drawing.ts';
import { nodeAt } from '../map/use-named.ts';
import type { loadEmbed } from '../mesh-page.server.ts';
import { useMeshCounts } from '../use-mesh-list.ts';
import styles from './embed-page.module.css';
import { parseEmbedQuery } from './embed-query.ts';
import * as hrefs from '#app/lib/hrefs.ts';

/** How long the hint stays after the wheel was turned, ms. */
const HINT_MS = 1500;

/** The page `/embed`: the map alone, live, for frames on other sites. */
export function EmbedPage() {
  const loaded = useLoaderData<typeof loadEmbed>();
  const [search] = useSearchParams();
  const { theme, query } = useMemo(() => parseEmbedQuery(search), [search]);
  const live = useMesh(loaded);
  const { head } = live;
  const { totals, matches, shown } = useMeshCounts(live, query, loaded);
  // A site shows what its filter says, and nothing beside it.
  const matching = useMemo(() => ({ ...shown, matchesOnly: true as const }), [shown]);
  const [selection, setSelection] = useState<Selection>(null);
  const panel = useRef<HTMLElement>(null);
  const gestures = useGesturesOfPage();
  const { genesis } = head;
  const at = selection && 'at' in selection ? selection.at : null;
  const node = selection && 'node' in selection ? selection.node : null;
  return (
    <PageMoment.Provider value={Date.parse(loaded.head.updatedAt)}>
      <main
        id="main"
        className={styles.embed}
        data-embed-theme={theme}
        data-framed={gestures.framed || undefined}
        {...gestures.handlers}
      >
        <h1 className="visually-hidden">Map of the mesh</h1>
        <MapView
          store={live.store}
          visible
          shown={matching}
          grid={loaded.grid}
          count={matches}
          genesis={head.genesisPlaced}
          selected={node === null ? at : genesis}
          moveToSelected={false}
          view={query.map}
          panel={panel}
          nodeAt={nodeAt(query)}
          sameNodes="The full map has a list of the same nodes"
          onView={() => undefined}
          onSelect={setSelection}
        />
        <p className={`${card.floating} ${styles.hint}`} data-shown={gestures.hint || undefined}>
          {gestures.hint}
        </p>
        <aside className={`${card.floating} ${styles.caption}`} aria-label="About this map">
          <p>
            <b>
              {isFiltered(query) ? `${count(matches)} of ${nodes(totals.peers)}` : nodes(matches)}
            </b>
            {!isFiltered(query) && `, ${count(totals.online)} online`}
          </p>
          <ConnectionStatus connection={live.connection} renderedAt={loaded.head.updatedAt} />
          <a href={meshHref({ ...query, at, node })} target="_blank" rel="noopener">
            {selection ? 'View this place on the full map' : 'Open the full map'}
            <span className="visually-hidden"> in a new tab</span>
          </a>
        </aside>
      </main>
    </PageMoment.Provider>
  );
}

/**
 * In a frame the wheel and one finger scroll the page around it, so that visitors don't get stuck on the map. It
 * zooms with Ctrl or Cmd held down, and moves with two fingers.
 */
function useGesturesOfPage() {
  const framed = useSyncExternalStore(neverChanges, isFramed, () => false);
  const [hint, setHint] = useState('');
  useEffect(() => {
    if (!hint) return;
    const timer = setTimeout(() => setHint(''), HINT_MS);
    return () => clearTimeout(timer);
  }, [hint]);
  const handlers = framed
    ? {
        onWheelCapture(event: WheelEvent) {
          if (event.ctrlKey || event.metaKey) return;
          event.stopPropagation();
          setHint(
            /Mac/.test(navigator.platform)
              ? 'Zoom with Cmd and scrolling'
              : 'Zoom with Ctrl and scrolling',
          );
        },
        onTouchStartCapture(event: TouchEvent) {
          if (event.touches.length === 1) event.stopPropagation();
        },
        onTouchMoveCapture(event: TouchEvent) {
          if (event.touches.length === 1) setHint('Move the map with two fingers');
        },
      }
    : {};
  return { framed, hint, handlers };
}

const isFramed = () => window.self !== window.top;
const neverChanges = () => () => undefined;

/** In place of an embedded map that couldn't be loaded: no part of the site can be used inside the frame. */
export function EmbedError() {
  return (
    <main id="main" className="standalone">
      <h1>The map couldn’t be loaded</h1>
      <p>
        <a href={hrefs.map()} target="_blank" rel="noopener">
          Open the full map<span className="visually-hidden"> in a new tab</span>
        </a>
      </p>
    </main>
  );
}
