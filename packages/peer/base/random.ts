/** Draws, with a source of numbers from 0 to less than 1, so that tests can repeat them. */
export type Random = () => number;

export const draw = <T>(from: readonly T[], random: Random): T | undefined =>
  from[Math.floor(random() * from.length)];

/** A copy in random order. */
export function shuffle<T>(list: readonly T[], random: Random): T[] {
  return list
    .map((value) => ({ value, at: random() }))
    .sort((one, other) => one.at - other.at)
    .map(({ value }) => value);
}
