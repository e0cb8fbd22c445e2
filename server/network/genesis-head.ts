import { z } from 'zod';
import { Digest } from '@mesh-registry/protocol/truth/truth.schema.ts';
import { withTimeout } from '#server/common/with-timeout.ts';

/** How long an answer may take, milliseconds, and how long it may be, bytes. */
const TIMEOUT_MS = 4000;
const ANSWER_BYTES_MAX = 16_384;

/** What the health server of a peer says of its log, whether or not the peer is well. */
const Health = z.object({
  height: z.int().min(0),
  /** The id of its last block. Earlier releases don't say it. */
  block: Digest.optional(),
});
export type PeerHead = z.infer<typeof Health>;

/**
 * Asks the health server of a Genesis where its log ends.
 * @param end aborts it
 * @returns null if it does not say
 */
export async function askHead(url: string, end: AbortSignal): Promise<PeerHead | null> {
  try {
    return await withTimeout(TIMEOUT_MS, end, async (signal) => {
      const headers = { accept: 'application/json', 'user-agent': 'mesh-registry' };
      const response = await fetch(url, { redirect: 'error', signal, headers });
      const bytes = await readAnswer(response, ANSWER_BYTES_MAX);
      return Health.safeParse(JSON.parse(bytes.toString())).data ?? null;
    });
  } catch {
    return null;
  }
}

/** The body of a response. @throws RangeError if it is longer than `max` bytes */
export async function readAnswer(response: Response, max: number): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of response.body ?? []) {
    bytes += part.byteLength;
    // Leaving the loop cancels the rest.
    if (bytes > max) throw new RangeError(`The answer is longer than ${max} bytes.`);
    parts.push(part);
  }
  return Buffer.concat(parts);
}
