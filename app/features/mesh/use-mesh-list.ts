import { useMemo } from 'react';
import type { LiveSnapshot, MeshStore } from '#app/features/live/live-store.ts';
import type { MeshList } from '#server/mesh/index.ts';
import {
  AS_JOINED,
  NO_FILTER,
  type MeshQuery,
  type NodeOrder,
  type PeerFilter,
} from '#server/mesh/mesh-query.schema.ts';
import type { Peer, PlacesHead } from '@mesh-registry/protocol/rest/mesh.schema.ts';
import { readPlace, type Place } from '#server/mesh/places.schema.ts';
import type { Shown } from './map/grid-points.ts';
import { createPlaceFilter, surveyPlaces, totalsOf } from './place-filter.ts';
import { api, useAnswer } from './use-answer.ts';

/** Rows on a page of the list. */
const LIST_ROWS = 100;
/** Rows that stand for the map where there are no scripts. */
const MAP_ROWS = 10;

/** Which nodes the URL asks for, how many and in which order: a page of the list, or the first few beside a map. */
export const listedPart = ({
  view,
  q,
  page,
  sort,
  descending,
}: MeshQuery): { page: number; limit: number } & NodeOrder =>
  view === 'list'
    ? { page, limit: LIST_ROWS, sort, descending }
    : // The search lists its matches.
      { page: 1, limit: q === '' ? MAP_ROWS : LIST_ROWS, ...AS_JOINED };

/** What is said of a node that joined. */
export type Joined = Pick<Peer, 'id' | 'label' | 'region' | 'joinedAt'>;

/** A page of the matching nodes. */
type Listed = Pick<MeshList, 'page' | 'peers'> & { newest: Joined[] };
type Live = LiveSnapshot<PlacesHead, Place> & { store: MeshStore };

/** The filter alone, with lists of its own, as the typed API takes it. */
export const filterOf = ({ q, status, class: size, region, joined }: PeerFilter) => ({
  q,
  status: [...status],
  class: [...size],
  region,
  joined,
});
const keyOf = (question: object) => JSON.stringify(question);

/**
 * One page of the matching nodes. It is asked for and followed only while it is shown.
 * @param loaded the page as the server rendered it
 * @param needed the list or the matches of a search are shown
 */
export function useMeshList({ store }: Live, query: MeshQuery, loaded: Listed, needed: boolean) {
  const question = { ...filterOf(query), ...listedPart(query) };
  const key = keyOf(question);
  const answered = useAnswer<Listed>(
    store,
    needed ? key : null,
    async (signal) => (await api()).list.query(question, { signal }),
    { key, data: loaded },
  );
  const { page, peers, newest } = answered?.data ?? loaded;
  return { page, peers, newest, question: answered?.key ?? key };
}

/**
 * The counts of the network and beside the filters, from its places. Only for a text or an age the server is asked,
 * because a place doesn't tell them.
 * @param loaded the counts as the server rendered them, until the places are here
 * @returns the totals of the network, how many nodes match the filter, and what the map shows
 */
export function useMeshCounts(
  { store, rows }: Live,
  query: MeshQuery,
  loaded: Pick<MeshList, 'head' | 'facets' | 'page'>,
) {
  const { q, joined, status, class: size, region } = query;
  const searched = q !== '' || joined !== null;
  const question = { ...filterOf(NO_FILTER), q, joined };
  const key = keyOf(question);
  const found = useAnswer(store, searched ? key : null, async (signal) =>
    (await (await api()).matchingPlaces.query(question, { signal })).map(readPlace),
  );
  // The places of the text before stay until those of this one are here.
  const places = searched ? (found?.data ?? null) : null;
  const [statuses, classes] = [status.join(), size.join()];
  const filter = useMemo(
    () =>
      createPlaceFilter({
        status: statuses === '' ? [] : (statuses.split(',') as typeof status),
        class: classes === '' ? [] : (classes.split(',') as typeof size),
        region,
      }),
    [statuses, classes, region],
  );
  const shown: Shown = useMemo(() => ({ filter, places }), [filter, places]);
  const all = useMemo(() => rows && surveyPlaces(rows, NO_FILTER), [rows]);
  const survey = useMemo(() => {
    const surveyed = searched ? places : rows;
    if (!searched && status.length === 0 && size.length === 0 && region === null) return all;
    return surveyed && surveyPlaces(surveyed, { status, class: size, region });
  }, [searched, places, rows, all, status, size, region]);
  return {
    totals: (all && totalsOf(all)) ?? loaded.head.stats,
    matches: survey?.matches ?? loaded.page.total,
    facets: survey?.facets ?? loaded.facets,
    shown,
  };
}
