import { draw, join, leave, type Random } from '../base/collections.ts';

/** A peer that could be dialled, at the addresses of some network groups. */
export interface Dialable {
  peer: string;
  groups: readonly string[];
  tried: boolean;
}

/** Whom to dial, and in which network group. */
export interface Dial {
  peer: string;
  group: string;
}

/**
 * Whom to dial: at most one of each network group, anchors first, then in turns one that was reached before and one that
 * is new. The group is drawn before the peer, so a group with a thousand peers is no likelier than one with a single one.
 * Known peers keep an attacker from taking all places with new records, new ones keep those places from being final.
 * @param anchors in order, among `peers` or not
 * @param taken groups that must not be used; the chosen ones are added
 */
export function chooseDials(
  count: number,
  peers: readonly Dialable[],
  anchors: readonly string[],
  taken: Set<string>,
  random: Random,
): Dial[] {
  const chosen: Dial[] = [];
  const byGroup = (tried: boolean) => {
    const pool = new Map<string, Set<Dialable>>();
    for (const peer of peers)
      if (peer.tried === tried)
        for (const group of peer.groups) if (!taken.has(group)) join(pool, group, peer);
    return pool;
  };
  const [known, strange] = [byGroup(true), byGroup(false)];
  const choose = (peer: Dialable, group: string) => {
    taken.add(group);
    chosen.push({ peer: peer.peer, group });
    for (const pool of [known, strange]) {
      pool.delete(group);
      for (const other of peer.groups) leave(pool, other, peer);
    }
  };
  const drawOf = (pool: Map<string, Set<Dialable>>): boolean => {
    const [group, members] = draw([...pool], random) ?? [];
    const peer = members && draw([...members], random);
    if (group !== undefined && peer) choose(peer, group);
    return peer !== undefined;
  };
  for (const anchor of anchors) {
    if (chosen.length >= count) break;
    const peer = peers.find((dialable) => dialable.peer === anchor);
    const group =
      peer &&
      draw(
        peer.groups.filter((each) => !taken.has(each)),
        random,
      );
    if (peer && group !== undefined) choose(peer, group);
  }
  for (let tried = random() < 0.5; chosen.length < count; tried = !tried)
    if (!drawOf(tried ? known : strange) && !drawOf(tried ? strange : known)) break;
  return chosen;
}
