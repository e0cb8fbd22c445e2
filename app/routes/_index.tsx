import type { LoaderFunctionArgs, MetaFunction } from '@remix-run/node';
import {
  useLoaderData,
  useLocation,
  useNavigate,
  useSearchParams,
  type ShouldRevalidateFunction,
} from '@remix-run/react';
import { useCallback, useEffect, useMemo, useRef } from 'react';
import {
  createMatcher,
  isFiltered,
  meshHref,
  parseMeshQuery,
  surveyPeers,
  type MeshQuery,
} from '#server/mesh/mesh-query.schema.ts';
import type { Peer } from '#server/mesh/mesh.schema.ts';
import type { MeshList } from '#server/mesh/index.ts';
import { PageMoment, useClock } from '#app/lib/clock.ts';
import { ConnectionStatus } from '#app/features/live/connection-status.tsx';
import { MapView } from '#app/features/mesh/map/map-view.tsx';
import type { Choice } from '#app/features/mesh/map/mesh-map.client.ts';
import { EmptyMesh } from '#app/features/mesh/empty-mesh.tsx';
import { Filters } from '#app/features/mesh/filters.tsx';
import { Legend } from '#app/features/mesh/legend.tsx';
import { NodeCard } from '#app/features/mesh/node-card.tsx';
import { Details, Overview } from '#app/features/mesh/overview.tsx';
import { PeerTable } from '#app/features/mesh/peer-table.tsx';
import { Sheet } from '#app/features/mesh/sheet.tsx';
import { ViewSwitch } from '#app/features/mesh/view-switch.tsx';
import { Pagination } from '#app/ui/pagination.tsx';
import { SiteFooter } from '#app/ui/site-footer.tsx';
import { SiteHeader } from '#app/ui/site-header.tsx';
import { useMesh } from '#app/features/live/use-live.ts';
import type { MeshStore } from '#app/features/live/live-store.ts';
import { pageMeta } from '#app/lib/page-meta.ts';

/** Rows on a page of the list. */
const LIMIT = 100;
/** Newest nodes in the panel. */
const NEWEST = 5;

export const meta: MetaFunction<typeof loader> = ({ data }) =>
  pageMeta(
    'Live map',
    'Every node of the mesh on a live map and in a list: status, class, region, last seen.',
    data && `${data.firstPing.origin}/`,
  );

export function loader({ request, context }: LoaderFunctionArgs) {
  const { services, origin } = context;
  const query = parseMeshQuery(new URL(request.url).searchParams);
  // First the position, then the list: the stream that goes on from there leaves nothing out.
  const cursor = services.mesh.cursor();
  const { node, at } = query;
  const peer = node === null ? null : services.mesh.peer(node);
  return {
    cursor,
    ...services.mesh.list(query, query.page, LIMIT),
    chosen: peer ? [peer] : at ? services.mesh.peersAt(at) : [],
    firstPing: { origin: origin(), secret: services.config.webhookSecrets.length > 0 },
  };
}

/** Once all peers are in the page, another choice needs no server, and works while it is away. */
let complete = false;
export const shouldRevalidate: ShouldRevalidateFunction = () => !complete;

export default function Index() {
  const loaded = useLoaderData<typeof loader>();
  const [search] = useSearchParams();
  const query = useMemo(() => parseMeshQuery(search), [search]);
  const store = useMesh(loaded);
  const list = useList(store, query, loaded);
  const { head, page, facets } = list;
  const { view } = query;
  const go = useGo(query);
  const choice = useChoice(store, query, loaded.chosen);
  const matches = useMatcher(query);

  useEffect(() => {
    complete = store.complete;
    return () => void (complete = false);
  }, [store.complete]);

  const hrefOfNode = useCallback(
    (node: string) => meshHref({ ...query, view: 'map', node, at: null }),
    [query],
  );
  const pages = (number: number) => meshHref({ ...query, page: number });
  const rows = (
    <>
      <Pagination page={page} href={pages} />
      <PeerTable peers={list.peers} href={hrefOfNode} />
      {list.peers.length > 20 && <Pagination below page={page} href={pages} />}
    </>
  );
  return (
    <PageMoment.Provider value={Date.parse(loaded.head.updatedAt)}>
      <SiteHeader>
        <ConnectionStatus connection={store.connection} madeAt={loaded.head.updatedAt} />
      </SiteHeader>
      {/* Where there are no scripts to draw the map, the style sheet makes a list of either. */}
      <main id="main" className={`mesh view-${view}`}>
        <h1 className="visually-hidden">Nodes of the mesh</h1>
        <section className="map-area" aria-label="Map of the nodes">
          <MapView
            store={store}
            visible={view === 'map'}
            matches={matches}
            count={page.total}
            chosen={choice.place}
            moveTo={!choice.onMap}
            onChoose={choice.onChoose}
          />
          <Legend />
        </section>
        <ViewSwitch view={view} href={(view) => meshHref({ ...query, view })} />
        <Sheet>
          <Filters
            query={query}
            facets={facets}
            matches={page.total}
            peers={list.peers}
            total={head.stats.peers}
            onChange={go.replace}
          />
          <Overview head={head} query={query} />
          <Details head={head} newest={list.newest} query={query} />
        </Sheet>
        {choice.any && (
          <NodeCard
            node={query.node}
            peers={choice.peers}
            genesis={choice.genesis}
            takeFocus={choice.takeFocus}
            href={hrefOfNode}
            onClose={choice.close}
          />
        )}
        {head.stats.peers === 0 && <EmptyMesh {...loaded.firstPing} />}
        {page.total > 0 &&
          (view === 'list' ? (
            <section className="list-area" aria-label="List of the nodes">
              {rows}
            </section>
          ) : (
            // Where there are no scripts there is no map: the list stands in its place.
            <noscript>
              <section className="list-area" aria-label="List of the nodes">
                {rows}
              </section>
            </noscript>
          ))}
      </main>
      <SiteFooter />
    </PageMoment.Provider>
  );
}

/** The list as the server rendered it, and once all peers are here as they are now. */
function useList(store: MeshStore, query: MeshQuery, loaded: MeshList): MeshList {
  const clock = useClock();
  const version = store.version();
  return useMemo(() => {
    if (!store.complete) return { ...loaded, head: store.head };
    const all = store.ordered();
    const { matched, facets } = surveyPeers(all, query, clock.now(), (peer) => peer);
    const pages = Math.max(1, Math.ceil(matched.length / LIMIT));
    const number = Math.min(query.page, pages);
    return {
      head: store.head,
      facets,
      page: { number, total: matched.length, limit: LIMIT },
      peers: matched.slice((number - 1) * LIMIT, number * LIMIT),
      newest: all.slice(-NEWEST).reverse(),
    };
    // The store is the same object for as long as the page is open; its version says that it changed.
  }, [clock, version, query, loaded]);
}

/** What the map shows: the same function for as long as the filter is the same. */
function useMatcher(query: MeshQuery): (peer: Peer) => boolean {
  const clock = useClock();
  const filter = meshHref({ ...query, view: 'map', node: null, at: null, page: 1 });
  return useMemo(
    () => (isFiltered(query) ? createMatcher(query, clock.now()) : () => true),
    [filter],
  );
}

/** Ways to other addresses of this page; the functions are the same for as long as it is open. */
function useGo(query: MeshQuery) {
  const navigate = useNavigate();
  const latest = useRef({ query, navigate });
  latest.current = { query, navigate };
  const go = useCallback(
    (patch: Partial<MeshQuery>, options: { replace: boolean; onMap: boolean }) => {
      const { query, navigate } = latest.current;
      navigate(meshHref({ ...query, ...patch }), {
        replace: options.replace,
        preventScrollReset: true,
        state: { onMap: options.onMap },
      });
    },
    [],
  );
  return {
    replace: useCallback(
      (patch: Partial<MeshQuery>) => go({ page: 1, ...patch }, { replace: true, onMap: true }),
      [go],
    ),
    push: useCallback(
      (patch: Partial<MeshQuery>) => go(patch, { replace: false, onMap: true }),
      [go],
    ),
  };
}

/** What the address says is chosen. */
function useChoice(store: MeshStore, query: MeshQuery, loaded: Peer[]) {
  const { node, at } = query;
  const state = useLocation().state as { focusCard?: boolean; onMap?: boolean } | null;
  const { push } = useGo(query);
  const { genesis } = store.head;
  const version = store.version();
  const peers = useMemo(() => {
    if (!store.complete) return loaded;
    if (node !== null) return [store.get(node) ?? []].flat();
    return at ? store.ordered().filter(({ lat, lng }) => lat === at.lat && lng === at.lng) : [];
  }, [version, node, at, loaded]);
  const isGenesis = node === genesis.id;
  return {
    peers,
    genesis: isGenesis ? genesis : null,
    any: node !== null || (at !== null && peers.length > 0),
    place: isGenesis ? genesis : (peers[0] ?? at),
    /** Chosen by a click on the map, which then stays as it is. */
    onMap: state?.onMap === true,
    takeFocus: state?.focusCard === true,
    onChoose: (choice: Choice) => {
      if (choice === null && node === null && at === null) return;
      push({ node: null, at: null, ...choice });
    },
    close: () => {
      // Who closes the card by the keyboard goes on at the map.
      document.querySelector<HTMLElement>('.map')?.focus({ preventScroll: true });
      push({ node: null, at: null });
    },
  };
}
