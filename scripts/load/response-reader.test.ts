import { describe, expect, it } from 'vitest';
import { ResponseReader } from './response-reader.ts';

const RESPONSES: [text: string, status: number][] = [
  ['HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello', 200],
  ['HTTP/1.1 304 Not Modified\r\ncontent-length: 5\r\netag: "a"\r\n\r\n', 304],
  [
    'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n1a\r\nabcdefghijklmnopqrstuvwxyz\r\n0\r\n\r\n',
    200,
  ],
  ['HTTP/1.1 503 Service Unavailable\r\ncontent-length: 0\r\n\r\n', 503],
];

describe('the load generator finds the end of a response', () => {
  it('however the bytes are split', () => {
    for (const size of [1, 2, 3, 7, 1000]) {
      const reader = new ResponseReader();
      for (const [text, status] of RESPONSES) {
        const ends: number[] = [];
        for (let at = 0; at < text.length; at += size)
          if (reader.push(Buffer.from(text.slice(at, at + size)))) ends.push(at + size);
        expect(ends, `${text} by ${size}`).toHaveLength(1);
        expect(ends[0]).toBeGreaterThanOrEqual(text.length);
        expect(reader.status).toBe(status);
      }
    }
  });
});
