import type { Repeated } from '#server/common/rooms.ts';
import type { ServiceContext } from '#server/context.ts';
import type { Fingerprint } from './nonce-memory.ts';

/** How often the nonces that were used here are told to other servers, milliseconds. */
const TELL_MS = 1000;
/** Nonces in one record of the feed: 80 KB as text. */
const RECORD_MAX = 5000;
/** Nonces that wait while the database is away. */
const WAITING_MAX = 200_000;
/** Their records in the feed. */
const SOURCE = 'nonces';
const NUMBERS_EACH = 3;

/** Tells all servers of a network, by their feed, which nonces were used: each nonce then counts once for all. */
export class NonceExchange {
  /** Three numbers for each nonce: its fingerprint, and the second in which it was signed. */
  #waiting: number[] = [];
  readonly repeats: readonly Repeated[] = [
    { ms: TELL_MS, failure: 'could not send nonces', work: () => this.send() },
  ];

  /** @param learn called with each nonce that was used at another server */
  constructor(
    private readonly context: Pick<ServiceContext, 'db' | 'feed' | 'live' | 'log'>,
    learn: (nonce: Fingerprint, created: number) => void,
  ) {
    context.live.onRecord(SOURCE, (body) => {
      const numbers = decode(body);
      for (let at = 0; at + NUMBERS_EACH <= numbers.length; at += NUMBERS_EACH)
        learn({ high: numbers[at] ?? 0, low: numbers[at + 1] ?? 0 }, numbers[at + 2] ?? 0);
    });
  }

  /** A nonce was used here. */
  tell({ high, low }: Fingerprint, created: number): void {
    if (this.#waiting.length >= WAITING_MAX * NUMBERS_EACH) return;
    this.#waiting.push(high, low, created);
  }

  /** Tells the others what waits. Never rejects: it waits on if that fails. */
  async send(): Promise<void> {
    const { db, feed, log } = this.context;
    const waiting = this.#waiting;
    this.#waiting = [];
    let sent = 0;
    try {
      for (; sent < waiting.length; sent += RECORD_MAX * NUMBERS_EACH)
        await feed.record(
          db,
          SOURCE,
          encode(waiting.slice(sent, sent + RECORD_MAX * NUMBERS_EACH)),
        );
    } catch (error) {
      this.#waiting = [...waiting.slice(sent), ...this.#waiting];
      log.debug({ err: error }, 'could not tell other servers which nonces were used');
    }
  }
}

const encode = (numbers: number[]): string =>
  Buffer.from(Uint32Array.from(numbers).buffer).toString('base64');

function decode(body: string): Uint32Array {
  const bytes = Uint8Array.from(Buffer.from(body, 'base64'));
  return new Uint32Array(bytes.buffer, 0, Math.floor(bytes.length / 4));
}
