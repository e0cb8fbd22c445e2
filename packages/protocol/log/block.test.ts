import { hash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { block } from '../../../test/support/blocks.ts';
import { loggers } from '../../../test/support/network-truth.ts';
import { nodeKeyText } from '../keys/node-key.ts';
import { BlockError, createBlock, decodeBlock, hasOwnBody } from './block.ts';
import { BODY_BYTES_MAX, FRAME_BYTES_MAX, NO_BLOCK } from './block.schema.ts';

test('a block is read as it was made, and named by the digest of its header', () => {
  const made = {
    height: 7,
    prev: 'ab'.repeat(32),
    kind: 'registry-history',
    body: Buffer.from('é'),
  };
  const frame = block(made);
  const { header, id, envelope, body } = decodeBlock(frame);
  expect(header).toEqual({
    network: 'mesh.example.org',
    height: 7,
    prev: made.prev,
    time: '2026-06-01T00:00:00.000Z',
    kind: 'registry-history',
    bodyHash: hash('sha256', 'é'),
    bodyLength: 2,
  });
  expect(body.toString()).toBe('é');
  expect(id).toBe(hash('sha256', Buffer.from(envelope.payload, 'base64')));
  expect(envelope.signatures.map(({ keyid }) => keyid)).toEqual(loggers.map(nodeKeyText));
});

test('a body has a largest size', () => {
  const largest = block({ body: Buffer.alloc(BODY_BYTES_MAX) });
  expect(hasOwnBody(decodeBlock(largest))).toBe(true);
  expect(() => block({ body: Buffer.alloc(BODY_BYTES_MAX + 1) })).toThrow(RangeError);
});

/** Decodes, and expects a block or a BlockError. */
function outcome(bytes: Uint8Array): string {
  try {
    return decodeBlock(bytes).id;
  } catch (error) {
    if (!(error instanceof BlockError)) throw error;
    expect(error.message).toMatch(/^[A-Z].+\.$/);
    return error.reason;
  }
}

test('what is no block is malformed, and nothing worse', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 2000 }), (bytes) => {
      expect(outcome(bytes)).toBe('malformed');
    }),
  );
  expect(outcome(new Uint8Array(FRAME_BYTES_MAX + 1))).toBe('malformed');
  const header = { height: 1, prev: NO_BLOCK, time: '2026-06-01T00:00:00Z', kind: 'k' };
  for (const bad of [
    { network: 'Not A Network' },
    { height: 0 },
    { height: 1.5 },
    { height: 2 ** 60 },
    { prev: 'x' },
    { time: 'yesterday' },
    { kind: '' },
    { kind: 'x'.repeat(33) },
    { more: 1 },
  ]) {
    const fields = { network: 'mesh.example.org', ...header, body: Buffer.alloc(0), ...bad };
    expect(outcome(createBlock(fields, ...loggers)), JSON.stringify(bad)).toBe('malformed');
  }
});

test('a changed block is malformed, another one, or has not its own body', () => {
  const frame = block({ body: Buffer.from('the body of a block') });
  const { id, body, envelope } = decodeBlock(frame);
  fc.assert(
    fc.property(fc.nat(frame.length - 1), fc.integer({ min: 1, max: 255 }), (at, flip) => {
      const changed = Buffer.from(frame);
      changed[at] = (changed[at] ?? 0) ^ flip;
      if (outcome(changed) !== id) return;
      const read = decodeBlock(changed);
      expect(
        !read.body.equals(body) || JSON.stringify(read.envelope) !== JSON.stringify(envelope),
      ).toBe(true);
      expect(hasOwnBody(read)).toBe(read.body.equals(body));
    }),
    { numRuns: 500 },
  );
  for (let length = 0; length < frame.length; length++) {
    const cut = frame.subarray(0, length);
    expect(outcome(cut) === 'malformed' || !hasOwnBody(decodeBlock(cut)), `${length}`).toBe(true);
  }
});
