const HEAD_END = '\r\n\r\n';

/** Finds the end of each HTTP response on one connection, with one request under way at a time. Skips bodies unread. */
export class ResponseReader {
  status = 0;
  /** Bytes to skip; with a chunked body, of the chunk and its line break. */
  #left = 0;
  #chunked = false;
  #state: 'head' | 'body' | 'chunk size' | 'last chunk' = 'head';
  #partial = Buffer.alloc(0);

  /**
   * @param bytes what came over the connection; not kept
   * @returns whether the response is complete
   */
  push(bytes: Buffer): boolean {
    let data: Buffer = bytes;
    if (this.#partial.length > 0) {
      data = Buffer.concat([this.#partial, bytes]);
      this.#partial = Buffer.alloc(0);
    }
    let at = 0;
    for (;;) {
      if (this.#state === 'head') {
        const end = data.indexOf(HEAD_END, at);
        if (end < 0) return this.#wait(data, at);
        this.#readHead(data.toString('latin1', at, end + 2));
        at = end + HEAD_END.length;
      }
      if (this.#state === 'chunk size') {
        const end = data.indexOf('\r\n', at);
        if (end < 0) return this.#wait(data, at);
        const size = parseInt(data.toString('latin1', at, end), 16);
        at = end + 2;
        this.#left = size + 2;
        this.#state = size === 0 ? 'last chunk' : 'body';
      }
      const skipped = Math.min(this.#left, data.length - at);
      at += skipped;
      this.#left -= skipped;
      if (this.#left > 0) return false;
      if (this.#state !== 'body' || !this.#chunked) {
        this.#state = 'head';
        return true;
      }
      this.#state = 'chunk size';
    }
  }

  #wait(data: Buffer, from: number): false {
    this.#partial = Buffer.from(data.subarray(from));
    return false;
  }

  #readHead(head: string): void {
    this.status = Number(head.slice(9, 12));
    this.#chunked = /\r\ntransfer-encoding: chunked\r\n/i.test(head);
    const bodiless = this.status === 304 || this.status === 204;
    this.#left = bodiless ? 0 : Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0);
    this.#state = this.#chunked && !bodiless ? 'chunk size' : 'body';
    if (bodiless) this.#chunked = false;
  }
}
