import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import type { RandomGenerator } from 'pure-rand/types/RandomGenerator';

export type Random = RandomGenerator;

/** What the fleet draws numbers for. Each has a stream of its own, so that more of one changes no other. */
const STREAMS = ['nodes', 'computes', 'names', 'lifecycle', 'history'] as const;

/** Seeds are distinct up to this. */
export const MAX_SEED = 2 ** 32 - 1;

/** The same seed and stream always give the same numbers. */
export function seededRandom(seed: number, stream: (typeof STREAMS)[number]): Random {
  const random = xoroshiro128plus(seed);
  for (let jumps = STREAMS.indexOf(stream); jumps > 0; jumps--) random.jump();
  return random;
}

/** A real number in [min, max). */
export function between(random: Random, min: number, max: number): number {
  return min + uniformFloat64(random) * (max - min);
}

/** A whole number from min to max, both included. */
export const integer = uniformInt;

/** True with this probability, 0 to 1. */
export function chance(random: Random, probability: number): boolean {
  return uniformFloat64(random) < probability;
}

/** One of the items, all equally likely. There must be one. */
export function pick<T>(random: Random, items: readonly T[]): T {
  return items[uniformInt(random, 0, items.length - 1)] as T;
}

/** A new array with the same items in random order (Fisher-Yates). */
export function shuffled<T>(random: Random, items: readonly T[]): T[] {
  const result = [...items];
  for (let i = result.length - 1; i > 0; i--) {
    const j = uniformInt(random, 0, i);
    [result[i], result[j]] = [result[j] as T, result[i] as T];
  }
  return result;
}
