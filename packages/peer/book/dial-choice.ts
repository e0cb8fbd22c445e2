import { draw, type Random } from '../base/collections.ts';

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
  const left = new Map(peers.map((dialable) => [dialable.peer, dialable]));
  const choose = (candidates: readonly Dialable[]): boolean => {
    const byGroup = new Map<string, Dialable[]>();
    for (const candidate of candidates)
      for (const group of candidate.groups)
        if (!taken.has(group)) {
          const members = byGroup.get(group);
          if (members) members.push(candidate);
          else byGroup.set(group, [candidate]);
        }
    const [group, members] = draw([...byGroup], random) ?? [];
    const picked = members && draw(members, random);
    if (group === undefined || !picked) return false;
    taken.add(group);
    left.delete(picked.peer);
    chosen.push({ peer: picked.peer, group });
    return true;
  };
  for (const anchor of anchors) {
    const dialable = left.get(anchor);
    if (dialable && chosen.length < count) choose([dialable]);
  }
  for (let tried = random() < 0.5; chosen.length < count; tried = !tried) {
    const of = (wanted: boolean) => [...left.values()].filter((peer) => peer.tried === wanted);
    if (!choose(of(tried)) && !choose(of(!tried))) break;
  }
  return chosen;
}
