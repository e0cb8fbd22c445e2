const counter = new Intl.NumberFormat('en-US');

/** 10000 as "10,000". */
export const count = (n: number) => counter.format(n);

/** A count with its noun: "1 node", "2 nodes". */
export const nodes = (n: number) => `${count(n)} ${n === 1 ? 'node' : 'nodes'}`;

/** "28.5° N, 77.0° E". Coordinates are rounded to a grid, so one decimal is enough. */
export function coordinates({ lat, lng }: { lat: number; lng: number }): string {
  const degrees = (value: number, positive: string, negative: string) =>
    `${Math.abs(value).toFixed(1)}° ${value < 0 ? negative : positive}`;
  return `${degrees(lat, 'N', 'S')}, ${degrees(lng, 'E', 'W')}`;
}

/**
 * "3 free slots". Never "of" a number of replicas: a slot is room for one unit of work, a replica is a running copy
 * that may have several, and how many it has in all is not announced.
 */
export const freeSlotsText = (n: number) => `${count(n)} free ${n === 1 ? 'slot' : 'slots'}`;

const money = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' });

/** 1234.5 as "$1,234.50". */
export const dollars = (amount: number) => money.format(amount);
