import type { LoaderFunctionArgs, MetaFunction } from '@remix-run/node';
import {
  useLoaderData,
  useNavigate,
  useSearchParams,
  type ShouldRevalidateFunction,
} from '@remix-run/react';
import { useCallback, useEffect, useRef, useState } from 'react';
import { PageMoment } from '../clock.ts';
import { EmptyMesh } from '../components/empty-mesh.tsx';
import { Legend } from '../components/legend.tsx';
import { LiveState } from '../components/live-state.tsx';
import { MapView } from '../components/map/map-view.tsx';
import { NodeCard } from '../components/node-card.tsx';
import { Overview } from '../components/overview.tsx';
import { Pager, type Page } from '../components/pager.tsx';
import { PeerTable } from '../components/peer-table.tsx';
import { SiteHeader } from '../components/site-header.tsx';
import { useMesh } from '../components/use-live.ts';
import { useSelection } from '../components/use-selection.ts';
import { ViewSwitch } from '../components/view-switch.tsx';

/** Rows on a page of the list. */
const LIMIT = 100;

export const meta: MetaFunction = () => [
  { title: 'Live map · Mesh Registry' },
  {
    name: 'description',
    content:
      'Every node of the mesh on a live map and in a list: status, class, region, last seen.',
  },
];

export function loader({ request, context }: LoaderFunctionArgs) {
  const { services, origin } = context;
  const asked = new URL(request.url).searchParams.get('page');
  // First the position, then the list: the stream that goes on from there leaves nothing out.
  const cursor = services.mesh.cursor();
  const total = services.mesh.overview({ offset: 0, limit: 0 }).head.stats.peers;
  const { number } = pageOf(asked, total);
  return {
    cursor,
    ...services.mesh.overview({ offset: (number - 1) * LIMIT, limit: LIMIT }),
    firstPing: { origin: origin(), secret: services.config.webhookSecrets.length > 0 },
  };
}

/** Once all peers are in the page, another page of the list needs no server, and works while it is away. */
let complete = false;
export const shouldRevalidate: ShouldRevalidateFunction = () => !complete;

/** The page that is asked for: a number that is none, or beyond the list, becomes the nearest there is. */
function pageOf(asked: string | null, total: number): Page {
  const pages = Math.max(1, Math.ceil(total / LIMIT));
  const number = /^\d{1,9}$/.test(asked ?? '') ? Number(asked) : 1;
  return { number: Math.min(Math.max(number, 1), pages), pages, limit: LIMIT, total };
}

function href(view: string, number: number): string {
  const query = new URLSearchParams();
  if (view === 'list') query.set('view', view);
  if (number > 1) query.set('page', String(number));
  return query.size === 0 ? '/' : `/?${query.toString()}`;
}

export default function Index() {
  const loaded = useLoaderData<typeof loader>();
  const [search] = useSearchParams();
  const navigate = useNavigate();
  const store = useMesh(loaded);
  const started = useStarted();

  const { head } = store;
  const view = search.get('view') === 'list' ? 'list' : 'map';
  const selection = useSelection(store, view === 'map');
  const page = pageOf(search.get('page'), head.stats.peers);
  const peers = store.complete
    ? store.ordered().slice((page.number - 1) * LIMIT, page.number * LIMIT)
    : loaded.peers;
  const empty = head.stats.peers === 0;

  useEffect(() => {
    complete = store.complete;
    return () => void (complete = false);
  }, [store.complete]);

  // The same function for as long as the page is open, so that rows need not be rendered for its sake.
  const latest = useRef({ page, navigate, choose: selection.chooseInList });
  latest.current = { page, navigate, choose: selection.chooseInList };
  const show = useCallback((id: string) => {
    const { page, navigate, choose } = latest.current;
    choose(id);
    navigate(href('map', page.number), { preventScrollReset: true });
  }, []);

  return (
    <PageMoment.Provider value={Date.parse(loaded.head.updatedAt)}>
      <SiteHeader>
        <LiveState connection={store.connection} madeAt={loaded.head.updatedAt} />
      </SiteHeader>
      {/* Where there are no scripts to draw the map, the style sheet makes a list of either. */}
      <main id="main" className={`mesh view-${view}`}>
        <h1 className="visually-hidden">Nodes of the mesh</h1>
        <ViewSwitch view={view} href={(view) => href(view, page.number)} />
        <section className="map-area" aria-label="Map of the nodes">
          <MapView
            store={store}
            visible={view === 'map'}
            onMap={selection.setMap}
            onSelect={selection.chooseOnMap}
          />
          <Legend />
        </section>
        <Overview head={head} />
        {selection.any && view === 'map' && (
          <NodeCard
            peers={selection.peers}
            genesis={selection.genesis}
            takeFocus={selection.fromList}
            onClose={selection.close}
          />
        )}
        {empty && <EmptyMesh {...loaded.firstPing} />}
        {/* The server renders the list whatever the view: it is there before the scripts are. */}
        <section className="list-area" aria-label="List of the nodes">
          {!empty && (!started || view === 'list') && (
            <>
              <Pager page={page} href={(number) => href(view, number)} />
              <PeerTable peers={peers} onShow={started ? show : undefined} />
              {peers.length > 20 && <Pager page={page} href={(number) => href(view, number)} />}
            </>
          )}
        </section>
      </main>
    </PageMoment.Provider>
  );
}

/** False for the server's rendering and the first one in the browser, which must be alike. */
function useStarted(): boolean {
  const [started, setStarted] = useState(false);
  useEffect(() => setStarted(true), []);
  return started;
}
