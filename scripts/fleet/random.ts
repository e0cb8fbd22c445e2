/** A source of numbers in [0, 1), like Math.random. */
export type Random = () => number;

/**
 * A repeatable source: the same seed gives the same numbers on every machine and Node version.
 * mulberry32 over an FNV-1a hash of the seed; good enough for a fleet, never for secrets.
 */
export function seededRandom(seed: string | number): Random {
  let state = 0x811c9dc5;
  for (const char of String(seed)) {
    state = Math.imul(state ^ (char.codePointAt(0) ?? 0), 0x01000193);
  }
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** A real number in [min, max). */
export function between(random: Random, min: number, max: number): number {
  return min + random() * (max - min);
}

/** A whole number from min to max, both included. */
export function whole(random: Random, min: number, max: number): number {
  return min + Math.floor(random() * (max - min + 1));
}

/** One of the items, each as likely as the others; throws on an empty list. */
export function pick<T>(random: Random, items: readonly T[]): T {
  const item = items[Math.floor(random() * items.length)];
  if (item === undefined) throw new RangeError('pick: nothing to pick from');
  return item;
}

/** A new array with the same items in a random order (Fisher-Yates). */
export function shuffled<T>(random: Random, items: readonly T[]): T[] {
  const result = [...items];
  for (let i = result.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [result[i], result[j]] = [result[j] as T, result[i] as T];
  }
  return result;
}
