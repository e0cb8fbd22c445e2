import { useSearchParams } from '@remix-run/react';
import { useMemo, useRef } from 'react';
import { ConnectionStatus } from '#app/features/live/connection-status.tsx';
import { useCompletePage } from '#app/features/live/complete-page.ts';
import { useMesh } from '#app/features/live/use-live.ts';
import { PageMoment } from '#app/lib/clock.ts';
import { Pagination } from '#app/ui/pagination.tsx';
import { SiteFooter } from '#app/ui/site-footer.tsx';
import { SiteHeader } from '#app/ui/site-header.tsx';
import type { MeshList } from '#server/mesh/index.ts';
import { meshHref, parseMeshQuery } from '#server/mesh/mesh-query.schema.ts';
import type { Peer } from '#server/mesh/mesh.schema.ts';
import { EmptyMesh } from './empty-mesh.tsx';
import { Filters } from './filters.tsx';
import type { HeartbeatService } from './heartbeat-command.tsx';
import { Legend } from './legend.tsx';
import { MapView } from './map/map-view.tsx';
import styles from './mesh-page.module.css';
import { MeshPanel } from './mesh-panel.tsx';
import { NodeCard } from './node-card.tsx';
import { NodeTable } from './node-table.tsx';
import { Overview } from './overview.tsx';
import { RegionsAndNewest } from './regions-and-newest.tsx';
import { useMatcher, useMeshList } from './use-mesh-list.ts';
import { useMeshNavigation, useSelection } from './use-selection.ts';
import { ViewSwitch } from './view-switch.tsx';

export interface LoadedMesh extends MeshList {
  /** Where the event stream continues. */
  cursor: string;
  /** The nodes that the URL selects. */
  selected: Peer[];
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
  const { head, page, facets, peers, newest } = useMeshList(live, query, loaded);
  const selection = useSelection(live, query, loaded.selected);
  const matches = useMatcher(query);
  const go = useMeshNavigation(query);
  const map = useRef<HTMLDivElement>(null);

  const { view } = query;
  const hrefOf = (node: string) => meshHref({ ...query, view: 'map', node, at: null });
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
            matches={matches}
            count={page.total}
            selected={selection.position}
            moveToSelected={!selection.onMap}
            onSelect={(selected) => {
              if (selected !== null || query.node !== null || query.at) go.select(selected);
            }}
          />
          <Legend />
        </section>
        <ViewSwitch view={view} href={(view) => meshHref({ ...query, view })} />
        <MeshPanel floating={view === 'map'}>
          <Filters
            query={query}
            facets={facets}
            matches={page.total}
            peers={peers}
            total={head.stats.peers}
            onChange={go.filter}
            onOpen={go.open}
          />
          <Overview head={head} query={query} />
          <RegionsAndNewest head={head} newest={newest} query={query} />
        </MeshPanel>
        {selection.any && (
          <NodeCard
            node={query.node}
            peers={selection.peers}
            genesis={selection.genesis}
            takeFocus={selection.takeFocus}
            href={hrefOf}
            onClose={() => {
              // Keyboard users continue on the map.
              map.current?.focus({ preventScroll: true });
              go.select(null);
            }}
          />
        )}
        {head.stats.peers === 0 && <EmptyMesh service={loaded.service} grid={loaded.grid} />}
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
