/** A pack of blocks as a peer sends it: each with its length before it as four bytes. */
export const pack = (frames: readonly Uint8Array[]): Buffer =>
  Buffer.concat(
    frames.flatMap((frame) => {
      const length = Buffer.alloc(4);
      length.writeUInt32BE(frame.byteLength);
      return [length, frame];
    }),
  );
