import { MalformedError } from './channel.ts';

/** A pack: blocks, each with its length before it as four bytes, as the files of a log have them. */

const LENGTH_BYTES = 4;

/**
 * The blocks, as parts of the same memory.
 * @param max how many there may be
 * @throws MalformedError
 */
export function unpack(bytes: Uint8Array, max: number): Uint8Array[] {
  const frames: Uint8Array[] = [];
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at < bytes.byteLength;) {
    if (at + LENGTH_BYTES > bytes.byteLength) throw new MalformedError('a pack ends in a length');
    const length = view.getUint32(at);
    at += LENGTH_BYTES;
    if (length === 0 || at + length > bytes.byteLength)
      throw new MalformedError('a block is longer than its pack');
    if (frames.length === max) throw new MalformedError('more blocks than asked for');
    frames.push(bytes.subarray(at, at + length));
    at += length;
  }
  return frames;
}
