import fc from 'fast-check';
import { SORT_KEYS, UPTIMES, type DirectoryQuery } from '#app/features/computes/directory-query.ts';
import type { OfferNode } from '#server/nodes/index.ts';
import type { Compute } from '@mesh-registry/protocol/rest/computes.schema.ts';
import {
  COMPUTE_STATUSES,
  VISIBILITIES,
  NODE_CLASSES,
} from '@mesh-registry/protocol/values.schema.ts';

/** Compute offers and queries of the directory for unit tests. */

export const compute = (fields: Partial<Compute> = {}): Compute => {
  const { name = 'fire', nodeId = 'node_a' } = fields;
  return {
    id: `${nodeId}:${name}`,
    name,
    nodeId,
    label: 'garage',
    image: 'alpine:3.20',
    visibility: 'public',
    class: 'M',
    backend: 'docker',
    replicas: 4,
    freeSlots: 2,
    status: 'available',
    lastSeen: '2026-07-17T12:00:00.000Z',
    firstSeen: '2026-07-17T11:00:00.000Z',
    ...fields,
  };
};

/** The nodes of the offers: two that are known, and any other is not. */
export const nodeOf = (id: string): OfferNode =>
  id === 'node_a'
    ? { region: 'DE', uptime: 0.9994 }
    : id === 'node_b'
      ? { region: 'US', uptime: 0.95 }
      : { region: 'ZZ', uptime: null };

export const anyQuery: fc.Arbitrary<DirectoryQuery> = fc.record({
  q: fc.constantFrom('', 'fire', 'FIRE alpine', 'é ü'),
  status: fc.subarray([...COMPUTE_STATUSES]),
  visibility: fc.subarray([...VISIBILITIES]),
  class: fc.subarray([...NODE_CLASSES]),
  backend: fc.constantFrom('', 'docker', 'constructor', 'a.b_c-d'),
  free: fc.integer({ min: 0, max: 10 }),
  region: fc.constantFrom('', 'DE', 'ZZ'),
  uptime: fc.constantFrom(0, ...UPTIMES),
  compare: fc.subarray(['fire', 'node_a:fire', 'ocr', 'node_B:ocr']),
  sort: fc.constantFrom(...SORT_KEYS),
  descending: fc.boolean(),
  page: fc.integer({ min: 1, max: 99 }),
});

export const anyCompute = fc
  .record({
    name: fc.constantFrom('fire', 'llm-serve', 'ocr'),
    nodeId: fc.constantFrom('node_a', 'node_b', '__proto__'),
    image: fc.constantFrom('alpine:3.20', 'tesseract:5', ''),
    visibility: fc.constantFrom(...VISIBILITIES),
    class: fc.constantFrom(...NODE_CLASSES),
    backend: fc.constantFrom('docker', 'constructor'),
    freeSlots: fc.integer({ min: 0, max: 12 }),
    status: fc.constantFrom(...COMPUTE_STATUSES),
  })
  .map(compute);
