import type {
  Compute,
  Computes,
  ComputesHead,
} from '@mesh-registry/protocol/rest/computes.schema.ts';
import type { Places, PlacesHead } from '@mesh-registry/protocol/rest/mesh.schema.ts';
import { readColumns } from '#server/mesh/place-columns.schema.ts';
import { readPlace, type Place } from '#server/mesh/places.schema.ts';
import * as hrefs from '#app/lib/hrefs.ts';
import { follow, type LiveSource } from './follow.ts';
import type { ComputesStore, MeshStore } from './live-store.ts';
import { trpc } from '#app/lib/trpc.client.ts';

/** A browser without event streams polls. */
const hasStreams = typeof EventSource !== 'undefined';

const meshSource: LiveSource<PlacesHead, Place> = {
  load: (signal) => fetch(hrefs.api.trpc('mesh.places'), { signal }),
  read(body) {
    const { places, ...head } = (body as { result: { data: Places } }).result.data;
    return { head, rows: readColumns(places) };
  },
  stream: hasStreams
    ? (from, events) =>
        trpc.mesh.placeChanges.subscribe(from, {
          ...events,
          onData: ({ id, data }) =>
            events.onData({ id, data: { ...data, rows: data.rows.map(readPlace) } }),
        })
    : null,
};

const computesSource: LiveSource<ComputesHead, Compute> = {
  load: (signal) => fetch(hrefs.api.computes(), { signal }),
  read(body) {
    const { computes, ...head } = body as Computes;
    return { head, rows: computes };
  },
  stream: hasStreams ? (from, events) => trpc.computes.changes.subscribe(from, events) : null,
};

/** A few offers: asked for by themselves, and out of all changes those of them. */
export const followOffers = (keys: readonly string[]) => (store: ComputesStore, cursor: string) => {
  const isWanted = (id: string) =>
    keys.includes(id) || keys.includes(id.slice(id.indexOf(':') + 1));
  return follow(
    store,
    {
      load: (signal) =>
        fetch(
          `${hrefs.api.trpc('computes.some')}?input=${encodeURIComponent(JSON.stringify({ keys }))}`,
          { signal },
        ),
      read(body) {
        const { computes, ...head } = (body as { result: { data: Computes } }).result.data;
        return { head, rows: computes };
      },
      stream: hasStreams
        ? (from, events) =>
            trpc.computes.changes.subscribe(from, {
              ...events,
              onData: ({ id, data }) =>
                events.onData({
                  id,
                  data: {
                    ...data,
                    rows: data.rows.filter((row) => isWanted(row.id)),
                    removed: data.removed.filter(isWanted),
                  },
                }),
            })
        : null,
    },
    cursor,
  );
};

export const followMesh = (store: MeshStore, cursor: string) => follow(store, meshSource, cursor);
export const followComputes = (store: ComputesStore, cursor: string) =>
  follow(store, computesSource, cursor);
