import { useLoaderData, useSearchParams } from '@remix-run/react';
import { useMemo, useRef, useState } from 'react';
import { ConnectionStatus } from '#app/features/live/connection-status.tsx';
import { useCompletePage, useMesh } from '#app/features/live/use-live.ts';
import { PageMoment } from '#app/lib/clock.ts';
import { count, nodes } from '#app/lib/formatters.ts';
import { useHydrated } from '#app/lib/use-hydrated.ts';
import { LiveRegion } from '#app/ui/live-region.tsx';
import { SiteFooter } from '#app/ui/site-footer.tsx';
import { SiteHeader } from '#app/ui/site-header.tsx';
import { isFiltered, parseMeshQuery, type MeshQuery } from '#server/mesh/mesh-query.schema.ts';
import type { PlacesHead } from '@mesh-registry/protocol/rest/mesh.schema.ts';
import { FirstNodes } from './first-nodes.tsx';
import { EmptyMesh, useFirstNode } from './empty-mesh.tsx';
import { Globe, useViewHere } from './globe/globe.tsx';
import { LifeLine } from './life/life-line.tsx';
import { MapView } from './map/map-view.tsx';
import type { Selection } from './map/use-drawing.ts';
import { nodeAt } from './map/use-named.ts';
import { MeshList } from './mesh-list.tsx';
import type { loadMesh } from './mesh-page.server.ts';
import styles from './mesh-page.module.css';
import { MeshPanel } from './mesh-panel.tsx';
import { NodeCard } from './node-card.tsx';
import { useGenesisChecks } from './rail/genesis-checks.ts';
import { PastRail } from './rail/past-rail.tsx';
import { Rail } from './rail/rail.tsx';
import { Replay, ReplayStatus } from './replay/replay.tsx';
import type { Past } from './replay/steps.ts';
import { filterOf, useMeshCounts, useMeshList } from './use-mesh-list.ts';
import { useMeshNavigation, useSelection } from './use-selection.ts';
import { ViewSwitch } from './view-switch.tsx';

/** The page `/`: the network on a map or as a list, beside it its counts and filters or the selected node. */
export function MeshPage() {
  const loaded = useLoaderData<typeof loadMesh>();
  const [search] = useSearchParams();
  const parsed = useMemo(() => parseMeshQuery(search), [search]);
  const { query, ready, phone } = useViewHere(parsed);
  const live = useMesh(loaded);
  useCompletePage(live.rows !== null);
  const { view, folded } = query;
  const onMap = view !== 'list';
  const { totals, matches, facets, shown } = useMeshCounts(live, query, loaded);
  const { page, peers, newest, question } = useMeshList(live, query, loaded, !onMap);
  const selection = useSelection(live, query, loaded.selected);
  const go = useMeshNavigation(query);
  useFirstNode(live.rows, go.select);
  const map = useRef<HTMLDivElement>(null);
  const panel = useRef<HTMLDivElement>(null);
  // The replay needs scripts.
  const replay = useHydrated() && view === 'map' ? query.replay : null;
  const [past, setPast] = useState<Past | null>(null);
  /** Keyboard users continue on the map. */
  const focusMap = () => map.current?.focus({ preventScroll: true });

  const { head } = live;
  const checks = useGenesisChecks(loaded.checks, head.genesis);
  const life = { store: live.store, loaded: loaded.life, total: totals.peers, query };
  const drawing = {
    store: live.store,
    shown: replay && past ? past.shown : shown,
    count: replay && past ? past.nodes : matches,
    genesis: head.genesisPlaced,
    selected: replay ? null : selection.position,
    moveToSelected: !selection.onMap,
    view: query.map,
    panel,
    nodeAt: nodeAt(query),
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
        data-folded={(folded && !selection.any) || undefined}
        data-replay={replay ? (past?.measured === false ? 'unmeasured' : 'measured') : undefined}
      >
        <h1 className="visually-hidden">Nodes of the mesh</h1>
        <News {...{ query, matches, selection, head }} total={totals.peers} />
        <MeshPanel
          ref={panel}
          folded={folded && !selection.any}
          away={replay !== null || (totals.peers === 0 && !selection.any)}
          opened={selection.any ? selection.key : null}
        >
          {replay ? (
            <PastRail past={past} />
          ) : selection.any ? (
            <NodeCard
              query={query}
              {...selection}
              genesisPlaced={head.genesisPlaced}
              network={totals.peers}
              summary={loaded.summary}
              onClose={() => {
                focusMap();
                go.select(null);
              }}
            />
          ) : (
            <Rail
              {...{ query, head, totals, facets, matches, newest, checks, life }}
              store={live.store}
              onFilter={go.filter}
              onFold={go.fold}
            />
          )}
        </MeshPanel>
        <div className={styles.stage}>
          <section className={styles.map} aria-label="Map of nodes">
            {view === 'globe' ? (
              <Globe ref={map} {...drawing} />
            ) : (
              <MapView ref={map} {...drawing} visible={onMap && ready} grid={loaded.grid} />
            )}
          </section>
          {onMap ? (
            // Without scripts there is no map: some of the list take its place.
            page.total > 0 && (
              <noscript>
                <FirstNodes peers={peers} total={page.total} query={query} />
              </noscript>
            )
          ) : (
            <MeshList query={query} peers={peers} page={page} question={question} />
          )}
          {totals.peers === 0 && !replay && (
            <EmptyMesh
              service={loaded.service}
              grid={loaded.grid}
              genesis={head.genesis}
              chosen={selection.any}
            />
          )}
          {!replay && <ViewSwitch query={query} phone={phone} />}
          {replay ? (
            <Replay
              query={{ ...query, replay }}
              onShow={setPast}
              onMove={(moment) => {
                if (!moment) focusMap();
                go.replay(moment);
              }}
            />
          ) : (
            <LifeLine {...life} />
          )}
        </div>
      </main>
      {/* With scripts the map or the list fills the window. */}
      <div className="without-scripts">
        <SiteFooter />
      </div>
    </PageMoment.Provider>
  );
}

interface NewsProps {
  query: MeshQuery;
  matches: number;
  total: number;
  selection: ReturnType<typeof useSelection>;
  head: PlacesHead;
}

/** What screen readers are told: what a filter leaves, what has opened, and whether Genesis can be reached. */
function News({ query, matches, total, selection, head }: NewsProps) {
  const { key, loading, takeFocus, peers, genesis } = selection;
  const opened = genesis ?? peers[0];
  const name = selection.total > 1 ? `${nodes(selection.total)} here` : opened?.label;
  return (
    <>
      <LiveRegion
        about={JSON.stringify(filterOf(query))}
        text={isFiltered(query) ? `${count(matches)} of ${nodes(total)}` : nodes(total)}
      />
      <LiveRegion
        about={`${key} ${loading}`}
        // What takes the focus is read anyway.
        text={takeFocus || !name ? '' : `${name}${opened ? `, ${opened.status}` : ''}`}
      />
      <LiveRegion about={head.genesis.status} text={`Genesis is ${head.genesis.status}`} />
    </>
  );
}
