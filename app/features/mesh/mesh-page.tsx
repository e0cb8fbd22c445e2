import { useLoaderData, useSearchParams } from '@remix-run/react';
import { useCallback, useMemo, useRef, useState } from 'react';
import { ConnectionStatus } from '#app/features/live/connection-status.tsx';
import { useCompletePage, useMesh } from '#app/features/live/use-live.ts';
import { PageMoment } from '#app/lib/clock.ts';
import * as hrefs from '#app/lib/hrefs.ts';
import { useHydrated } from '#app/lib/use-hydrated.ts';
import card from '#app/ui/card.module.css';
import { Link } from '#app/ui/link.tsx';
import { Pagination } from '#app/ui/pagination.tsx';
import { SiteFooter } from '#app/ui/site-footer.tsx';
import { SiteHeader } from '#app/ui/site-header.tsx';
import { meshHref, parseMeshQuery } from '#server/mesh/mesh-query.schema.ts';
import { embedDocsHref } from './embed/embed-query.ts';
import { FirstNodes } from './first-nodes.tsx';
import { Filters } from './filters.tsx';
import { GenesisSummary, Overview } from './overview.tsx';
import { HeartbeatCommand, type HeartbeatService } from './heartbeat-command.tsx';
import { Globe, useRememberedGlobe } from './globe/globe.tsx';
import { JustJoined } from './just-joined.tsx';
import { Legend } from './legend.tsx';
import { MapView } from './map/map-view.tsx';
import type { Selection } from './map/use-drawing.ts';
import type { loadMesh } from './mesh-page.server.ts';
import styles from './mesh-page.module.css';
import { MeshPanel } from './mesh-panel.tsx';
import { NodeCard } from './node-card.tsx';
import { NodeSearch } from './node-search.tsx';
import { NodeTable } from './node-table.tsx';
import { Replay, ReplayStatus } from './replay/replay.tsx';
import type { Past } from './replay/steps.ts';
import { useMeshCounts, useMeshList } from './use-mesh-list.ts';
import { nodeOnMap, useMeshNavigation, useSelection } from './use-selection.ts';
import { ViewSwitch } from './view-switch.tsx';

/** From this many rows on, the list has its pagination below it, too. */
const LONG_LIST = 20;

/** The page `/`: the network on a map or as a list, with search, filters, counts and the selected node. */
export function MeshPage() {
  const loaded = useLoaderData<typeof loadMesh>();
  const [search] = useSearchParams();
  const query = useMemo(() => parseMeshQuery(search), [search]);
  const live = useMesh(loaded);
  useCompletePage(live.rows !== null);
  const { view, folded } = query;
  const onMap = view !== 'list';
  useRememberedGlobe();
  const { totals, matches, facets, shown } = useMeshCounts(live, query, loaded);
  const listNeeded = !onMap || query.q !== '';
  const { page, peers, newest, settled } = useMeshList(live, query, loaded, listNeeded);
  const selection = useSelection(live, query, loaded.selected);
  const go = useMeshNavigation(query);
  const map = useRef<HTMLDivElement>(null);
  const panel = useRef<HTMLDivElement>(null);
  const bar = useRef<HTMLDivElement>(null);
  // The replay needs scripts. What floats over the map is of the present, and makes room for it.
  const replay = useHydrated() && view === 'map' ? query.replay : null;
  const [past, setPast] = useState<Past | null>(null);
  const [covered, setCovered] = useState(0);
  const onResize = useCallback(() => setCovered((times) => times + 1), []);
  /** Keyboard users continue on the map. */
  const focusMap = () => map.current?.focus({ preventScroll: true });

  const { head } = live;
  const hrefOfPage = (number: number) => meshHref({ ...query, page: number });
  const list = (
    <section className={styles.list} aria-label="List of nodes">
      <Pagination page={page} href={hrefOfPage} />
      <NodeTable peers={peers} query={query} />
      {peers.length > LONG_LIST && <Pagination below page={page} href={hrefOfPage} />}
    </section>
  );
  const drawing = {
    store: live.store,
    shown: replay && past ? past.shown : shown,
    count: replay && past ? past.nodes : matches,
    genesis: head.genesisPlaced,
    selected: replay ? null : selection.position,
    moveToSelected: !selection.onMap,
    view: query.map,
    panel: replay ? bar : panel,
    folded,
    covered,
    ...(replay && { sameNodes: 'They are those of the time that the slider shows' }),
    onView: go.move,
    onSelect(selected: Selection, byKeyboard: boolean) {
      if (replay) return;
      if (selected !== null || query.node !== null || query.at) go.select(selected, byKeyboard);
    },
  };
  return (
    <PageMoment.Provider value={Date.parse(loaded.head.updatedAt)}>
      <SiteHeader>
        {replay ? (
          <ReplayStatus />
        ) : (
          <ConnectionStatus connection={live.connection} renderedAt={loaded.head.updatedAt} />
        )}
      </SiteHeader>
      <main
        id="main"
        className={styles.mesh}
        data-view={onMap ? 'map' : 'list'}
        data-replay={replay ? (past?.measured === false ? 'unmeasured' : 'measured') : undefined}
      >
        <h1 className="visually-hidden">Nodes of the mesh</h1>
        <section className={styles.map} aria-label="Map of nodes">
          {view === 'globe' ? (
            <Globe ref={map} {...drawing} />
          ) : (
            <MapView ref={map} {...drawing} visible={onMap} grid={loaded.grid} />
          )}
        </section>
        {replay ? (
          <Replay
            query={{ ...query, replay }}
            bar={bar}
            onShow={setPast}
            onMove={(moment) => {
              if (!moment) focusMap();
              go.replay(moment);
            }}
            onResize={onResize}
          />
        ) : (
          <ViewSwitch query={query} />
        )}
        {!replay && (
          <MeshPanel ref={panel} floating={onMap} folded={folded}>
            <Overview head={head} totals={totals} folded={folded} onFold={go.fold}>
              <NodeSearch
                query={query}
                found={{ peers, total: page.total, settled }}
                onSearch={(q) => go.filter({ q })}
                onOpen={go.open}
              />
              <Legend facets={facets} query={query} total={totals.peers} />
            </Overview>
            <div data-foldable>
              <Filters
                query={query}
                facets={facets}
                matches={matches}
                total={totals.peers}
                onChange={go.filter}
              />
              <GenesisSummary genesis={head.genesis} href={nodeOnMap(query, head.genesis.id)} />
              {onMap && (
                <JustJoined
                  store={live.store}
                  newest={newest}
                  asOf={loaded.head.updatedAt}
                  query={query}
                />
              )}
              <p className={styles.embed}>
                <Link to={embedDocsHref(query)}>Embed this map</Link>
              </p>
            </div>
          </MeshPanel>
        )}
        {selection.any && !replay && (
          <NodeCard
            query={query}
            {...selection}
            genesisPlaced={head.genesisPlaced}
            onClose={() => {
              focusMap();
              go.select(null);
            }}
          />
        )}
        {totals.peers === 0 && !replay && <EmptyMesh service={loaded.service} grid={loaded.grid} />}
        {/* Without scripts there is no map: the list takes its place. */}
        {page.total > 0 &&
          (onMap ? (
            <noscript>
              <FirstNodes peers={peers} total={page.total} query={query} />
            </noscript>
          ) : (
            list
          ))}
      </main>
      {/* The map fills the window. */}
      <div className={onMap ? 'without-scripts' : undefined}>
        <SiteFooter />
      </div>
    </PageMoment.Provider>
  );
}

/**
 * Shown while no node has joined: how to add the first one.
 * @param props.grid coordinates are rounded to multiples of this many degrees
 */
function EmptyMesh({ service, grid }: { service: HeartbeatService; grid: number }) {
  return (
    <section className={`${card.padded} ${styles.empty}`} aria-labelledby="empty-title">
      <h2 id="empty-title">No nodes yet</h2>
      <p>
        Once a node sends its first heartbeat, it appears here. Choose its ID and its coordinates;
        we round them to {grid}°.
      </p>
      <HeartbeatCommand service={service} />
      <p>
        To keep it online, use <Link to={hrefs.docs.operators()}>mesh-agent</Link>.
      </p>
    </section>
  );
}
