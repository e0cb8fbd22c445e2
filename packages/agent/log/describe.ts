import type { Block } from '@mesh-registry/protocol/log/block.ts';
import { BLOCK_TYPE } from '@mesh-registry/protocol/log/block.schema.ts';
import { signersAmong } from '@mesh-registry/protocol/keys/dsse.ts';
import { line } from '../terminal/io.ts';
import { printable } from '../terminal/printable.ts';
import { entriesOf, type Entry } from './entries.ts';

/** Blocks and their events as lines to read. What others have written is printed without control characters. */

/** `2026-11-23T10:00:00Z  block 12    activated  garage            node_macmini (node, compute)` */
export const entryLine = ({ height, at, event, name, nodeId, kinds }: Entry): string =>
  [
    at.replace(/\.\d+Z$/, 'Z'),
    `block ${height}`.padEnd(10),
    printable(event).padEnd(9),
    printable(name ?? '').padEnd(16),
    `${printable(nodeId)}${kinds ? ` (${kinds.map(printable).join(', ')})` : ''}`,
  ].join('  ');

/** A block, with its events if they are of a kind that this release knows. */
export function describeBlock(block: Block): string[] {
  const { header, id, envelope, body } = block;
  const entries = entriesOf(block);
  // Whether these keys count in the network, `log verify` says.
  const signers = signersAmong(
    envelope,
    BLOCK_TYPE,
    envelope.signatures.map(({ keyid }) => keyid),
  );
  return [
    line('Block', `${header.height}, ${id}`),
    line('Network', header.network),
    line('Made', header.time),
    line('Follows', header.prev),
    line('Signed', `by ${[...signers].join(', ') || 'nobody'}`),
    ...(entries === null
      ? [line('Body', `${body.length} bytes of the kind ${header.kind}`)]
      : entries.map(entryLine)),
  ];
}
