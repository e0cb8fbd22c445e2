/** What has changed in a list since it was put in order, while somebody is using it. */
export interface SteadyRows<Row> {
  /** In the order in which they stand, with their values of now. */
  rows: Row[];
  /** How many rows would come, go or move. */
  changes: number;
}

/**
 * The rows of a list in the order in which they stand, though there is a newer order: whoever is about to click in a list
 * must not find another row there.
 * @param shown as they stand
 * @param fresh in the order of now
 * @param current the value of now of a row that is not in `fresh`, because a filter leaves it out; undefined where it is gone
 */
export function steadyRows<Row extends { id: string }>(
  shown: readonly Row[],
  fresh: readonly Row[],
  current: (id: string) => Row | undefined,
): SteadyRows<Row> {
  const positions = new Map(fresh.map(({ id }, at) => [id, at]));
  const rows = shown.map((row) => {
    const at = positions.get(row.id);
    return (at === undefined ? current(row.id) : fresh[at]) ?? row;
  });
  const stay = shown.flatMap(({ id }) => positions.get(id) ?? []);
  const [gone, come] = [shown.length - stay.length, fresh.length - stay.length];
  return { rows, changes: gone + come + stay.length - longestRise(stay) };
}

/** How many of the numbers, at most, can stay where they are so that they rise: the others move. */
function longestRise(numbers: readonly number[]): number {
  /** The lowest number that ends a rise of each length. */
  const ends: number[] = [];
  for (const number of numbers) {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((ends[middle] as number) < number) low = middle + 1;
      else high = middle;
    }
    ends[low] = number;
  }
  return ends.length;
}
