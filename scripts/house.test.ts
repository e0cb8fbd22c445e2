import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  importGraph,
  mutualPairs,
  picture,
  roomOf,
  shortestCircle,
  whyNot,
  whyNotPackage,
} from './house.mjs';

describe('the house', () => {
  const graph = importGraph();

  it('has a room for every file', () => {
    expect([...graph.keys()].filter((file) => roomOf(file) === undefined)).toEqual([]);
  });

  it('has no rooms that import each other, and no circle of files, types included', () => {
    expect(mutualPairs(graph)).toEqual([]);
    expect(shortestCircle(graph)).toBeNull();
  });

  it('is drawn in docs/design.md as it is', () => {
    const design = readFileSync(join(import.meta.dirname, '..', 'docs', 'design.md'), 'utf8');
    expect(design).toContain(`\`\`\`text\n${picture()}\n\`\`\``);
  });

  it('says what to do instead', () => {
    expect(whyNot('server/mesh/ping.ts', 'server/computes/index.ts', true)).toMatch(/signal/);
    expect(whyNot('server/review/queue.ts', 'server/mesh/ping.ts', true)).toMatch(/door/);
    expect(whyNot('packages/peer/peer.ts', 'server/mesh/index.ts', true)).toMatch(/protocol/);
    expect(whyNot('app/ui/button.tsx', 'server/mesh/index.ts', false)).toMatch(/context/);
    expect(whyNot('app/ui/button.tsx', 'server/nowhere.ts', false)).toMatch(/room/);
    expect(whyNot('server/review/queue.ts', 'server/mesh/index.ts', false)).toBeNull();
    expect(whyNot('app/ui/button.tsx', 'server/mesh/index.ts', true)).toBeNull();
    expect(whyNotPackage('packages/peer/peer.ts', 'hono/tiny')).toMatch(
      /hono .*peer\/package.json/,
    );
    expect(whyNotPackage('packages/peer/peer.ts', '@libp2p/tcp')).toBeNull();
    expect(whyNotPackage('packages/peer/peer.ts', 'node:fs')).toBeNull();
    expect(whyNotPackage('server/mesh/ping.ts', 'hono/tiny')).toBeNull();
  });
});

describe('the graph', () => {
  it('finds the shortest circle', () => {
    const graph = new Map([
      ['a', ['b']],
      ['b', ['c', 'd']],
      ['c', ['a']],
      ['d', ['b']],
    ]);
    expect(shortestCircle(graph)?.toSorted()).toEqual(['b', 'd']);
    graph.set('d', []);
    expect(shortestCircle(graph)?.toSorted()).toEqual(['a', 'b', 'c']);
    graph.set('c', []);
    expect(shortestCircle(graph)).toBeNull();
  });
});
