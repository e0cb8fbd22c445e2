/** Blocks travel in packs: each frame behind its length (4 bytes, big endian), as in the files of a log. */

const LENGTH_BYTES = 4;

/**
 * The frames of a pack. They share its memory.
 * @param max how many there may be
 * @throws RangeError if it is no pack, or has more
 */
export function unpack(bytes: Uint8Array, max: number): Uint8Array[] {
  const frames: Uint8Array[] = [];
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at < bytes.byteLength;) {
    if (at + LENGTH_BYTES > bytes.byteLength) throw new RangeError('a pack ends in a length');
    const length = view.getUint32(at);
    at += LENGTH_BYTES;
    if (length === 0 || at + length > bytes.byteLength)
      throw new RangeError('a block is longer than its pack');
    if (frames.length === max) throw new RangeError('more blocks than asked for');
    frames.push(bytes.subarray(at, at + length));
    at += length;
  }
  return frames;
}
