import { CELLS, placeId, type Place } from './places.schema.ts';

/**
 * All places in columns, which compress to two thirds of the same places in rows. Server and browser share this code.
 * The places are ordered by region, then from south to north and west to east.
 */
export interface PlaceColumns {
  /** Each region with the number of its places. */
  regions: [region: string, places: number][];
  /** Degrees, each as the difference to the place before; the first one to 0. */
  lat: number[];
  lng: number[];
  /** For each cell, in the order of CELLS, the nodes of every place. */
  counts: number[][];
}

/** Coordinates have at most six decimals; this removes the noise of adding them up. */
const exactly = (degrees: number) => Math.round(degrees * 1e6) / 1e6;

export const columnOrder = (a: Place, b: Place): number =>
  a.region === b.region ? a.lat - b.lat || a.lng - b.lng : a.region < b.region ? -1 : 1;

/** @param places in the order of {@link columnOrder} */
export function placeColumns(places: readonly Place[]): PlaceColumns {
  const regions: PlaceColumns['regions'] = [];
  let [south, west] = [0, 0];
  const lat: number[] = [];
  const lng: number[] = [];
  for (const place of places) {
    const last = regions.at(-1);
    if (last?.[0] === place.region) last[1]++;
    else regions.push([place.region, 1]);
    lat.push(exactly(place.lat - south));
    lng.push(exactly(place.lng - west));
    ({ lat: south, lng: west } = place);
  }
  const counts = CELLS.map((_, cell) => places.map(({ counts }) => counts[cell] ?? 0));
  return { regions, lat, lng, counts };
}

export function readColumns({ regions, lat, lng, counts }: PlaceColumns): Place[] {
  const places: Place[] = [];
  let at = { lat: 0, lng: 0 };
  for (const [region, length] of regions)
    for (const end = places.length + length; places.length < end;) {
      const n = places.length;
      at = { lat: exactly(at.lat + (lat[n] ?? 0)), lng: exactly(at.lng + (lng[n] ?? 0)) };
      places.push({
        ...at,
        id: placeId({ ...at, region }),
        region,
        counts: counts.map((column) => column[n] ?? 0),
      });
    }
  return places;
}
