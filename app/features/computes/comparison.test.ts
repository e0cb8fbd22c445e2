import { describe, expect, test } from 'vitest';
import { compute } from '../../../test/support/computes.ts';
import { highest, isEqual, offersNow, type Compared } from './comparison.ts';

const column = (fields: Parameters<typeof compute>[0], uptime: number | null = 1): Compared => ({
  offer: compute(fields),
  node: { region: 'EU', uptime },
});

describe('the highest value', () => {
  const columns = [
    column({ freeSlots: 4, replicas: 8 }, 0.99),
    column({ freeSlots: 9, replicas: 8, status: 'offline' }, null),
    column({ freeSlots: 1, replicas: 2, class: 'L' }, 0.5),
  ];

  test('is marked where more is better, and not on a tie', () => {
    expect(highest('free', columns)).toBe(0);
    expect(highest('replicas', columns)).toBeNull();
    expect(highest('uptime', columns)).toBe(0);
    expect(highest('class', columns)).toBeNull();
    expect(highest('announced', columns)).toBeNull();
  });

  test('needs two values that are known', () => {
    expect(highest('uptime', columns.slice(0, 2))).toBeNull();
    expect(highest('free', columns.slice(0, 1))).toBeNull();
    expect(highest('replicas', [null, ...columns.slice(1)])).toBe(1);
    expect(highest('replicas', [null, null])).toBeNull();
  });
});

test('values are equal if all of two or more columns share them', () => {
  const columns = [column({ name: 'aa' }), column({ name: 'bb', image: 'x' })];
  expect(isEqual('backend', columns)).toBe(true);
  expect(isEqual('image', columns)).toBe(false);
  expect(isEqual('backend', columns.slice(0, 1))).toBe(false);
});

describe('live offers', () => {
  const [aa, bb] = [compute({ name: 'aa' }), compute({ name: 'bb', nodeId: 'node_b' })];
  const keys = ['aa', 'node_b:bb', 'cc'];

  test('are those of now, by name or id, in the order in which they were chosen', () => {
    const now = { ...bb, freeSlots: 7 };
    const cc = compute({ name: 'cc' });
    expect(offersNow(keys, [aa, bb, null], [cc, now, aa])).toEqual([aa, now, cc]);
    expect(offersNow(keys, [aa, bb, null], null)).toEqual([aa, bb, null]);
  });

  test('stay as offline once they are not listed any more', () => {
    const gone = { ...aa, status: 'offline' };
    expect(offersNow(keys, [aa, bb, null], [bb])).toEqual([gone, bb, null]);
    // Another node's offer of that name is another offer.
    const other = compute({ name: 'aa', nodeId: 'node_z' });
    expect(offersNow(['aa'], [aa], [other])).toEqual([gone]);
  });
});
