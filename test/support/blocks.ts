import { createBlock, decodeBlock } from '@mesh-registry/protocol/log/block.ts';
import { NO_BLOCK } from '@mesh-registry/protocol/log/block.schema.ts';
import type { DsseEnvelope } from '@mesh-registry/protocol/keys/dsse.schema.ts';
import { Trust } from '@mesh-registry/protocol/truth/trust.ts';
import { HOUR, iso, loggers, root, START, type Keys } from './network-truth.ts';

/** Blocks of the network of network-truth.ts. */

/** When all of them have been made. */
export const LATER = START + 10 * HOUR;

export const trustNow = (now = LATER) => new Trust(root(), () => now);

type Fields = Parameters<typeof createBlock>[0];

/** A block's frame. */
export const block = (fields: Partial<Fields> = {}, by: Keys = loggers): Buffer =>
  createBlock(
    {
      network: 'mesh.example.org',
      height: 1,
      prev: NO_BLOCK,
      time: iso(START),
      kind: 'test',
      body: Buffer.from('body'),
      ...fields,
    },
    ...by,
  );

export interface ChainOptions {
  count: number;
  /** The frame that the first one continues. */
  after?: Buffer | undefined;
  kind?: string;
  body?: (height: number) => Uint8Array;
  by?: Keys;
  /** When the first ones were made, milliseconds since 1970. */
  start?: number;
}

/** The frames of some blocks that follow one another. */
export function chain({
  count,
  after,
  by,
  kind = 'test',
  body = bodyOf,
  start = START,
}: ChainOptions): Buffer[] {
  const before = after && decodeBlock(after);
  let prev = before?.id ?? NO_BLOCK;
  const first = (before?.header.height ?? 0) + 1;
  return Array.from({ length: count }, (_, i) => {
    const height = first + i;
    const frame = block({ height, prev, time: iso(start + height), kind, body: body(height) }, by);
    prev = decodeBlock(frame).id;
    return frame;
  });
}

const bodyOf = (height: number) => Buffer.from(`body of ${height}`);

/** The same block, with a signature that is none. */
export function withoutSignature(frame: Buffer): Buffer {
  const { envelope, body } = decodeBlock(frame);
  const signatures = envelope.signatures.map(({ keyid }) => ({
    keyid,
    sig: Buffer.alloc(64).toString('base64'),
  }));
  return frameOf({ ...envelope, signatures }, body);
}

/** A frame of any envelope and body. */
export function frameOf(envelope: DsseEnvelope, body: Uint8Array): Buffer {
  const text = Buffer.from(JSON.stringify(envelope));
  const length = Buffer.alloc(4);
  length.writeUInt32BE(text.length);
  return Buffer.concat([length, text, body]);
}
