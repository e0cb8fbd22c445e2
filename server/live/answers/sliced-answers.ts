import { LRUCache } from 'lru-cache';
import { setImmediate as turn } from 'node:timers/promises';
import { answerOf, digest, weakTag, type Answer } from './answer.ts';

/** What one turn of the event loop makes of a large text. */
export interface TextPart {
  text: string;
  /** What its tag is made of; by default the text. */
  tagged?: string;
}

/** How many answers are remembered. Most clients ask for the same few. */
const REMEMBERED = 4;
/** Milliseconds. */
const MAX_AGE_MS = 1000;
/** Making takes at most a tenth of a core: what took some time rests for nine times as long. */
const REST = 9;

/** Large texts that are made when somebody asks for them: one at a time, in slices, for everybody who asks meanwhile. */
export class SlicedAnswers {
  readonly #recent = new LRUCache<string, Promise<Answer>>({ max: REMEMBERED });
  #last: Promise<unknown> = Promise.resolve();

  /**
   * The newest answer: at most a second old, or nine times as old as it took to make.
   * @param key tells texts apart
   * @param parts are made one after the other, a turn each
   * @param before is called if it has to be made; what it throws is thrown
   */
  get(key: string, parts: () => Iterable<TextPart>, before: () => void): Promise<Answer> {
    const known = this.#recent.get(key);
    if (known) return known;
    before();
    const forget = () => {
      if (this.#recent.peek(key) === answer) this.#recent.delete(key);
    };
    const answer = this.#last.then(async () => {
      const startedAt = performance.now();
      const made = await slicedAnswer(parts());
      const restMs = REST * (performance.now() - startedAt);
      setTimeout(forget, Math.max(MAX_AGE_MS, restMs)).unref();
      return made;
    });
    this.#last = answer.catch(forget);
    this.#recent.set(key, answer);
    return answer;
  }
}

/** An answer of a text that is made in turns of the event loop. */
export async function slicedAnswer(parts: Iterable<TextPart>): Promise<Answer> {
  const bodies: Buffer[] = [];
  const digests: string[] = [];
  for (const { text, tagged = text } of parts) {
    bodies.push(Buffer.from(text));
    digests.push(digest(tagged));
    await turn();
  }
  return answerOf(Buffer.concat(bodies), weakTag(digests));
}
