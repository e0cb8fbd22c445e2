import { describe, expect, it } from 'vitest';
import { planFleet } from './plan.ts';

/** The patterns of the REST interface, repeated on purpose. */
const NODE_ID = /^[a-zA-Z0-9_-]{2,64}$/;
const LABEL = /^[\p{L}\p{N} ._\-'()#&+,]{1,64}$/u;
const COMPUTE_NAME = /^[a-z0-9][a-z0-9_-]{0,30}[a-z0-9]$/;
const BACKEND = /^[a-z0-9._-]{1,32}$/;
const IPV4 = /\d+\.\d+\.\d+\.\d+/;

const large = planFleet({ nodes: 10_000, computes: 5_000, seed: 7 });
const everyone = [...large.nodes, ...large.replacements];
const computes = large.nodes.flatMap((node) => node.computes);

describe('planFleet', () => {
  it('gives the same plan for the same seed and another one for another seed', () => {
    const size = { nodes: 300, computes: 60 };
    expect(planFleet({ ...size, seed: 1 })).toEqual(planFleet({ ...size, seed: 1 }));
    expect(planFleet({ ...size, seed: 2 })).not.toEqual(planFleet({ ...size, seed: 1 }));
  });

  it('starts a larger fleet with the nodes and names of a smaller one', () => {
    const ids = (plan: typeof large) => plan.nodes.map(({ nodeId }) => nodeId);
    const names = (plan: typeof large) =>
      new Set(plan.nodes.flatMap((node) => node.computes.map(({ name }) => name)));
    const small = planFleet({ nodes: 100, computes: 20, seed: 7 });
    expect(ids(large).slice(0, 100)).toEqual(ids(small));
    for (const name of names(small)) expect(names(large)).toContain(name);
  });

  it('has the requested number of nodes, with distinct and valid ids', () => {
    expect(large.nodes).toHaveLength(10_000);
    expect(large.replacements).toHaveLength(1_000);
    expect(new Set(everyone.map(({ nodeId }) => nodeId)).size).toBe(everyone.length);
    for (const { nodeId } of everyone) expect(nodeId).toMatch(NODE_ID);
  });

  it('labels nodes with valid characters and nothing like a hostname or an address', () => {
    for (const { label } of everyone) {
      expect(label).toMatch(LABEL);
      expect(label).not.toMatch(/[.:/@]/);
      expect(label.trim()).toBe(label);
      expect(label).toBe(label.normalize('NFC'));
    }
    expect(new Set(everyone.map(({ label }) => label)).size).toBeGreaterThan(4_000);
  });

  it('gives every node valid coordinates, with nodes in every region', () => {
    for (const { lat, lng } of everyone) {
      expect(Math.abs(lat)).toBeLessThanOrEqual(90);
      expect(Math.abs(lng)).toBeLessThanOrEqual(180);
    }
    const regions = new Set(everyone.map(({ region }) => region));
    expect([...regions].sort()).toEqual(['AF', 'AS', 'EU', 'NA', 'OC', 'SA']);
  });

  it.each([
    [1, 0],
    [1, 4],
    [10, 1],
    [50, 200],
    [500, 60],
    [500, 1_900],
  ])('spreads over %i nodes all of %i computes, at most 4 per host', (nodes, count) => {
    const plan = planFleet({ nodes, computes: count, seed: 3 });
    const perNode = plan.nodes.map((node) => node.computes.length);
    expect(perNode.reduce((a, b) => a + b, 0)).toBe(count);
    expect(Math.max(...perNode)).toBeLessThanOrEqual(4);
    expect(plan.replacements.every((node) => node.computes.length === 0)).toBe(true);
  });

  it('gives computes distinct, valid names, even beyond its word list', () => {
    const many = planFleet({ nodes: 10_000, computes: 20_000, seed: 7 });
    const names = many.nodes.flatMap((node) => node.computes.map(({ name }) => name));
    expect(new Set(names).size).toBe(20_000);
    for (const name of names) expect(name).toMatch(COMPUTE_NAME);
  });

  it('plans computes within the limits of an announcement', () => {
    for (const compute of computes) {
      expect(compute.backend).toMatch(BACKEND);
      expect(compute.image.length).toBeLessThanOrEqual(255);
      expect(compute.image).not.toMatch(/:\/\/|@/);
      expect(compute.image).not.toMatch(IPV4);
      expect(compute.replicas).toBeGreaterThan(0);
      expect(compute.maxSlots).toBeGreaterThan(0);
      expect(compute.maxSlots).toBeLessThanOrEqual(1_000_000);
    }
  });

  it('rejects sizes out of bounds', () => {
    expect(() => planFleet({ nodes: 0, computes: 0, seed: 1 })).toThrow(RangeError);
    expect(() => planFleet({ nodes: 1.5, computes: 0, seed: 1 })).toThrow(RangeError);
    expect(() => planFleet({ nodes: 10, computes: 41, seed: 1 })).toThrow(RangeError);
  });
});
