import { useEffect, useState } from 'react';
import type { Peer } from '@mesh-registry/protocol/rest/mesh.schema.ts';
import { ago, useClock } from '#app/lib/clock.ts';
import { useLatest } from '#app/lib/polling.ts';
import { filterOf } from '../use-mesh-list.ts';
import { api } from '../use-answer.ts';
import type { PeerFilter } from '#server/mesh/mesh-query.schema.ts';
import { markerText, type NamedNode } from './marker-description.ts';
import type { PointedAt } from './marker-tooltip.tsx';

/** A pointer that only passes a marker asks nothing, ms. */
const PASSING_MS = 120;

/** Asks for the node at a place, if exactly one is there that matches. */
export type NodeAt = (place: { lat: number; lng: number }) => Promise<Peer | null>;

export const nodeAt =
  (filter: PeerFilter): NodeAt =>
  async ({ lat, lng }) => {
    const { peersAt } = await api();
    const asked = { lat, lng, ...filterOf(filter), page: 1, limit: 1 };
    const { peers, page } = await peersAt.query(asked);
    return page.total === 1 ? (peers[0] ?? null) : null;
  };

/**
 * What is pointed at, with the name of a single node: places have counts only, so the server is asked for it.
 * @returns `said` is what screen readers are told, once
 */
export function useNamed(
  at: PointedAt | null,
  ask: NodeAt,
): { node: NamedNode | null; said: string } {
  const clock = useClock();
  const latest = useLatest(ask);
  const pointed = at?.pointed;
  const { lat, lng } = (pointed?.kind === 'marker' && pointed.node) || {};
  const key = lat === undefined ? null : `${lat},${lng}`;
  /** `age` is of the moment when the name arrived: nobody wants to hear it again each second. */
  const [found, setFound] = useState<{
    key: string;
    node: NamedNode | null;
    age: string;
  } | null>(null);
  useEffect(() => {
    if (key === null || lat === undefined || lng === undefined) return;
    let left = false;
    const show = (node: NamedNode | null) => {
      if (left) return;
      setFound({ key, node, age: node ? ago(Date.parse(node.lastSeen), clock.now()) : '' });
    };
    // Without an answer its state, class and place are known anyway.
    const timer = setTimeout(
      () => void latest.current({ lat, lng }).then(show, () => show(null)),
      PASSING_MS,
    );
    return () => {
      left = true;
      clearTimeout(timer);
      setFound(null);
    };
  }, [key, lat, lng, latest, clock]);
  const known = found?.key === key ? found : null;
  const waits = key !== null && !known;
  return {
    node: known?.node ?? null,
    said:
      pointed && at.byKeyboard && !waits
        ? markerText(pointed, known?.node ? { label: known.node.label, age: known.age } : null)
        : '',
  };
}
