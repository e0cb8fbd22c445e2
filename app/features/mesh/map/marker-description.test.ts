import { expect, test } from 'vitest';
import { describeMarker, markerText } from './marker-description.ts';

const marker = (byStatus: number[], regions: [string, number][], size: 'S' | null = null) => ({
  kind: 'marker' as const,
  ...{ byStatus, regions, size },
  node: size && { lat: 48, lng: 11.5 },
});

test('a marker is described by its nodes, their states and where they are', () => {
  expect(markerText(marker([900, 0, 0, 12], [['DE', 900]]))).toBe(
    '912 nodes, Germany: 900 online, 12 offline',
  );
  expect(markerText(marker([0, 1, 0, 0], [['ZZ', 1]], 'S'))).toBe('1 node, class S: 1 syncing');
  expect(
    describeMarker(
      marker(
        [4, 0, 0, 0],
        [
          ['DE', 2],
          ['US-WEST', 1],
          ['FR', 1],
          ['ZZ', 1],
        ],
      ),
    ).where,
  ).toBe('Germany, US-WEST and 1 more');
});

test('a single node is described by its name, its state and its last heartbeat', () => {
  const named = { label: 'attic', age: '12 s ago' };
  expect(markerText(marker([1, 0, 0, 0], [['DE', 1]], 'S'), named)).toBe(
    'attic, class S, Germany: online, last heartbeat 12 s ago',
  );
  expect(markerText(marker([0, 0, 0, 1], [['ZZ', 1]], 'S'), named)).toBe(
    'attic, class S: offline, last heartbeat 12 s ago',
  );
});

test('Genesis has its health', () => {
  expect(markerText({ kind: 'genesis', label: 'Genesis', status: 'unknown' })).toBe(
    'Genesis, not checked',
  );
});
