/** A source of numbers from 0 to less than 1: tests give their own, so that what is drawn repeats. */
export type Random = () => number;

/** One of the values, drawn at random; undefined if there are none. */
export const draw = <T>(from: readonly T[], random: Random): T | undefined =>
  from[Math.floor(random() * from.length)];

/** The values of a list in random order, each drawn when it is its turn: a few of many cost no more than a few. */
export function* drawing<T>(list: readonly T[], random: Random): Generator<T> {
  const left = [...list];
  while (left.length > 0) {
    const at = Math.floor(random() * left.length);
    const [value, last] = [left[at] as T, left.pop() as T];
    if (at < left.length) left[at] = last;
    yield value;
  }
}

/** A copy in random order. */
export const shuffle = <T>(list: readonly T[], random: Random): T[] => [...drawing(list, random)];

/** How often each key occurs. */
export function countBy(keys: Iterable<string>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}

/** Adds a value to those with a name. */
export function join<Value>(crowds: Map<string, Set<Value>>, name: string, value: Value): void {
  const members = crowds.get(name);
  if (members) members.add(value);
  else crowds.set(name, new Set([value]));
}

/** Takes a value from those with a name. */
export function leave<Value>(crowds: Map<string, Set<Value>>, name: string, value: Value): void {
  const members = crowds.get(name);
  members?.delete(value);
  if (members?.size === 0) crowds.delete(name);
}

/** Puts an entry at the end of a map; beyond `max` entries the first one, which is the oldest, leaves. */
export function putNewest<Key, Value>(
  map: Map<Key, Value>,
  key: Key,
  value: Value,
  max: number,
): void {
  map.delete(key);
  map.set(key, value);
  for (const oldest of map.keys()) {
    if (map.size <= max) return;
    map.delete(oldest);
  }
}
