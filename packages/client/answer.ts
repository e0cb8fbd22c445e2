/** What of an answer is read, and what a program gets of it. */

/** The longest answer of a call, bytes after decompression: every honest one is a small part of it. */
export const ANSWER_BYTES_MAX = 4 * 1024 * 1024;
/** The same of a list, and of an event of a stream, which grow with the network. */
export const LIST_BYTES_MAX = 64 * 1024 * 1024;

/** Lists and objects within each other; no answer of the service has more than a few. */
const DEPTH_MAX = 64;

/** An answer is longer than it may be. */
export class AnswerTooLong extends Error {
  override readonly name = 'AnswerTooLong';

  constructor(
    readonly status: number,
    maxBytes: number,
  ) {
    super(
      `The answer is longer than ${maxBytes / (1024 * 1024)} MiB, and was not read to its end.`,
    );
  }
}

/** Reads a body as it comes, however well it is compressed. @throws AnswerTooLong; what the connection throws */
export async function readText({ body, status }: Response, maxBytes: number): Promise<string> {
  if (!body) return '';
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  for (let bytes = 0; ;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    bytes += value.byteLength;
    if (bytes > maxBytes) {
      // Ends the connection: what is still to come is not worth waiting for.
      reader.cancel().catch(() => undefined);
      throw new AnswerTooLong(status, maxBytes);
    }
    text += decoder.decode(value, { stream: true });
  }
}

/** Changes each text of a value that was JSON, names of fields included. @throws RangeError if it is nested too deeply */
export function mapTexts(value: unknown, map: (text: string) => string, depth = 0): unknown {
  if (typeof value === 'string') return map(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth === DEPTH_MAX) throw new RangeError('The answer is nested too deeply.');
  if (Array.isArray(value)) return value.map((one) => mapTexts(one, map, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [map(name), mapTexts(one, map, depth + 1)]),
  );
}
