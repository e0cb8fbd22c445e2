import { LRUCache } from 'lru-cache';
import { setImmediate as turn } from 'node:timers/promises';
import { AppError } from '#server/common/errors.schema.ts';
import { SharedWork } from '#server/common/shared-work.ts';
import { TurnQueue } from '#server/common/turn-queue.ts';
import { answerOf, digest, weakTag, type Answer } from './answer.ts';

/** What one turn of the event loop makes of a large text. */
export interface TextPart {
  text: string;
  /** What its tag is made of; by default the text. */
  tagged?: string;
}

/** Parts that may be found in turns of the event loop themselves. */
export type TextParts = Iterable<TextPart> | AsyncIterable<TextPart>;

/** Who asks for a text. */
export interface TextAsker {
  /** Clients take turns. */
  client: string;
  /** Nothing is made for those who have gone. */
  signal: AbortSignal;
  /** Is called with the size of what it is made of, if it has to be made; what it throws is thrown. */
  count: (size: number) => void;
}

/** How many answers are remembered. Most clients ask for the same few. */
const REMEMBERED = 4;
/** Milliseconds. */
const MAX_AGE_MS = 1000;
/** Making takes at most a tenth of a core: what took some time rests for nine times as long. */
const REST = 9;
/** One text after the other; times in milliseconds. */
const MAKING = {
  rest: REST,
  burstMs: 0,
  longestMs: 500,
  stallMs: 60_000,
  atOnce: 1,
  reserved: 0,
  waitMs: 60_000,
  line: 4,
  places: 256,
};

const RETRY_SECONDS = 10;

const refusal = () =>
  new AppError('unavailable', 'Many files are being made at the moment. Try again in a moment.', {
    retryAfter: RETRY_SECONDS,
    quiet: true,
  });

/** Large texts that are made when somebody asks for them: one at a time, in slices, for everybody who asks meanwhile. */
export class SlicedAnswers {
  readonly #ready = new LRUCache<string, Answer>({ max: REMEMBERED, ttlAutopurge: true });
  readonly #making = new Map<string, SharedWork<Answer>>();
  readonly #queue = new TurnQueue(() => true, MAKING, refusal);

  /**
   * The newest answer: at most a second old, or nine times as old as it took to make.
   * @param key tells texts apart
   * @param parts are made one after the other, a turn each
   * @param size what to count
   * @throws AppError `unavailable` if too many texts of this client wait, or it waits for too long
   */
  async get(
    key: string,
    parts: () => TextParts,
    size: number,
    { client, signal, count }: TextAsker,
  ): Promise<Answer> {
    const ready = this.#ready.get(key);
    if (ready) return ready;
    const others = this.#making.get(key);
    if (others) return others.wait(client, signal);
    count(size);
    const make = async (gone: AbortSignal) => {
      const startedAt = performance.now();
      const made = await slicedAnswer(parts, gone);
      const restMs = REST * (performance.now() - startedAt);
      this.#ready.set(key, made, { ttl: Math.ceil(Math.max(MAX_AGE_MS, restMs)) });
      return made;
    };
    const making = new SharedWork(this.#queue, make, () => this.#making.delete(key));
    this.#making.set(key, making);
    return making.wait(client, signal);
  }
}

/** An answer of a text that is made in turns of the event loop. @param gone ends that, with its reason */
export async function slicedAnswer(parts: () => TextParts, gone?: AbortSignal): Promise<Answer> {
  const bodies: Buffer[] = [];
  const digests: string[] = [];
  for await (const { text, tagged = text } of parts()) {
    bodies.push(Buffer.from(text));
    digests.push(digest(tagged));
    await turn();
    gone?.throwIfAborted();
  }
  return answerOf(Buffer.concat(bodies), weakTag(digests));
}
