import type { Block } from '@mesh-registry/protocol/log/block.ts';
import { decodeBlock } from '@mesh-registry/protocol/log/block.ts';
import type { BlockReader } from '@mesh-registry/protocol/log/block-reader.ts';
import { BATCH_BLOCKS_MAX, BATCH_BYTES_MAX } from '@mesh-registry/protocol/log/block.schema.ts';
import {
  REGISTRY_BLOCK,
  RegistryBody,
  type RegistryEvent,
} from '@mesh-registry/protocol/log/registry-event.schema.ts';

/** An event of the log, and the block that has it. */
export interface Entry extends RegistryEvent {
  height: number;
}

/** What a block says. @returns null if it is of a kind that this release does not know */
export function entriesOf({ header, body }: Block): Entry[] | null {
  if (header.kind !== REGISTRY_BLOCK) return null;
  let content: unknown;
  try {
    content = JSON.parse(body.toString());
  } catch {
    return null;
  }
  const parsed = RegistryBody.safeParse(content);
  if (!parsed.success) return null;
  return parsed.data.events.map((event) => ({ height: header.height, ...event }));
}

/** The blocks from a height on, in their order. */
export function* blocksFrom(reader: BlockReader, from: number): Generator<Block> {
  for (let next = from; next <= reader.head.height;) {
    const frames = reader.uncheckedFrames(next, BATCH_BLOCKS_MAX, BATCH_BYTES_MAX);
    for (const frame of frames) yield decodeBlock(frame);
    next += frames.length;
  }
}

/** What the log says of a name, or of a node, the oldest first. */
export function entriesAbout(
  reader: BlockReader,
  { name, node }: { name?: string | undefined; node?: string | undefined },
): Entry[] {
  const found: Entry[] = [];
  for (const block of blocksFrom(reader, 1))
    for (const entry of entriesOf(block) ?? [])
      if (name === undefined ? entry.nodeId === node : entry.name === name) found.push(entry);
  return found;
}

/** The newest `count` entries, or all if there are fewer, the oldest of them first. */
export function lastEntries(reader: BlockReader, count: number): Entry[] {
  let entries: Entry[] = [];
  for (let { height } = reader.head; height > 0 && entries.length < count; height--) {
    const frame = reader.read(height);
    if (frame) entries = [...(entriesOf(decodeBlock(frame)) ?? []), ...entries];
  }
  return entries.slice(-count);
}
