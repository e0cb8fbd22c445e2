import { Link, useSearchParams } from '@remix-run/react';
import { useMemo, useRef } from 'react';
import { ConnectionStatus } from '#app/features/live/connection-status.tsx';
import { useCompletePage } from '#app/features/live/complete-page.ts';
import { useMesh } from '#app/features/live/use-live.ts';
import { PageMoment } from '#app/lib/clock.ts';
import { Pagination } from '#app/ui/pagination.tsx';
import { SiteFooter } from '#app/ui/site-footer.tsx';
import { SiteHeader } from '#app/ui/site-header.tsx';
import type { PeerPage } from '#server/mesh/index.ts';
import { meshHref, parseMeshQuery } from '#server/mesh/mesh-query.schema.ts';
import { embedDocsHref } from './embed/embed-query.ts';
import { EmptyMesh } from './empty-mesh.tsx';
import { Filters, Search } from './filters.tsx';
import { GenesisSummary } from './genesis-summary.tsx';
import type { HeartbeatService } from './heartbeat-command.tsx';
import { JustJoined } from './just-joined.tsx';
import { MapView } from './map/map-view.tsx';
import styles from './mesh-page.module.css';
import { MeshPanel } from './mesh-panel.tsx';
import { NodeCard } from './node-card.tsx';
import { NodeTable } from './node-table.tsx';
import { Overview } from './overview.tsx';
import { useMeshCounts, useMeshList, type LoadedList } from './use-mesh-list.ts';
import { nodeOnMap, useMeshNavigation, useSelection } from './use-selection.ts';
import { ViewSwitch } from './view-switch.tsx';

export interface LoadedMesh extends LoadedList {
  /** Where the event stream continues. */
  cursor: string;
  /** The nodes that the URL selects, or the first of them. */
  selected: PeerPage;
  service: HeartbeatService;
  /** Coordinates are rounded to multiples of this many degrees. */
  grid: number;
}

/** From this many rows on, the list has its pagination below it, too. */
const LONG_LIST = 20;

/** The page `/`: the network on a map or as a list, with search, filters, counts and the selected node. */
export function MeshPage({ loaded }: { loaded: LoadedMesh }) {
  const [search] = useSearchParams();
  const query = useMemo(() => parseMeshQuery(search), [search]);
  const live = useMesh(loaded);
  useCompletePage(live.rows !== null);
  const { view, folded } = query;
  const { totals, matches, facets, shown } = useMeshCounts(live, query, loaded);
  const listNeeded = view === 'list' || query.q !== '';
  const { page, peers, newest, settled } = useMeshList(live, query, loaded, listNeeded);
  const selection = useSelection(live, query, loaded.selected);
  const go = useMeshNavigation(query);
  const map = useRef<HTMLDivElement>(null);
  const panel = useRef<HTMLDivElement>(null);

  const { head } = live;
  const hrefOf = (node: string) => nodeOnMap(query, node);
  const hrefOfPage = (number: number) => meshHref({ ...query, page: number });
  const list = (
    <section className={styles.list} aria-label="List of nodes">
      <Pagination page={page} href={hrefOfPage} />
      <NodeTable peers={peers} query={query} />
      {peers.length > LONG_LIST && <Pagination below page={page} href={hrefOfPage} />}
    </section>
  );
  return (
    <PageMoment.Provider value={Date.parse(loaded.head.updatedAt)}>
      <SiteHeader>
        <ConnectionStatus connection={live.connection} renderedAt={loaded.head.updatedAt} />
      </SiteHeader>
      <main id="main" className={styles.mesh} data-view={view}>
        <h1 className="visually-hidden">Nodes of the mesh</h1>
        <section className={styles.map} aria-label="Map of nodes">
          <MapView
            ref={map}
            store={live.store}
            visible={view === 'map'}
            shown={shown}
            grid={loaded.grid}
            count={matches}
            genesis={head.genesisPlaced}
            selected={selection.position}
            moveToSelected={!selection.onMap}
            view={query.map}
            panel={panel}
            folded={folded}
            onView={go.move}
            onSelect={(selected, byKeyboard) => {
              if (selected !== null || query.node !== null || query.at)
                go.select(selected, byKeyboard);
            }}
          />
        </section>
        <ViewSwitch view={view} href={(view) => meshHref({ ...query, view })} />
        <MeshPanel ref={panel} floating={view === 'map'} folded={folded}>
          <Overview head={head} totals={totals} facets={facets} query={query} onFold={go.fold}>
            <Search
              query={query}
              found={{ peers, total: page.total, settled }}
              onSearch={(q) => go.filter({ q })}
              onOpen={go.open}
            />
          </Overview>
          <div data-foldable>
            <Filters
              query={query}
              facets={facets}
              matches={matches}
              total={totals.peers}
              onChange={go.filter}
            />
            <GenesisSummary genesis={head.genesis} href={hrefOf(head.genesis.id)} />
            {view === 'map' && (
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
        {selection.any && (
          <NodeCard
            node={query.node}
            {...selection}
            genesisPlaced={head.genesisPlaced}
            href={hrefOf}
            onClose={() => {
              // Keyboard users continue on the map.
              map.current?.focus({ preventScroll: true });
              go.select(null);
            }}
          />
        )}
        {totals.peers === 0 && <EmptyMesh service={loaded.service} grid={loaded.grid} />}
        {/* Without scripts there is no map: the list takes its place. */}
        {page.total > 0 && (view === 'list' ? list : <noscript>{list}</noscript>)}
      </main>
      {/* The map fills the window. */}
      <div className={view === 'map' ? 'without-scripts' : undefined}>
        <SiteFooter />
      </div>
    </PageMoment.Provider>
  );
}
