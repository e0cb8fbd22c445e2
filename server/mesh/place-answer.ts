import type { PlacesHead } from '@mesh-registry/protocol/rest/mesh.schema.ts';
import {
  AnswerCache,
  digest,
  weakTag,
  type Answer,
  type AnswerContent,
  type AnswerWith,
  type Cursor,
} from '#server/live/index.ts';
import { columnOrder, placeColumns } from './place-columns.schema.ts';
import type { PlaceIndex, PlaceVersion } from './places.ts';

/** Making takes at most a tenth of a core: what took some time rests for nine times as long. */
const REST = 9;
/** Larger answers take some time to compress as well, so they rest for a while, bytes and milliseconds. */
const LARGE = { bytes: 100_000, restMs: 250 };
/** What takes less than this is made anew for everybody, milliseconds. */
const QUICK_MS = 1;

export interface PlaceSource {
  places: PlaceIndex;
  head(now: number): PlacesHead;
  /** Changes whenever the head does, except with the passage of time. */
  headVersion(): string;
  degraded(): boolean;
  clock(): number;
}

/** All places as one answer, in columns. Those of 100,000 nodes take some 10 ms to make, so they may be 0.3 s old. */
export class PlaceAnswer {
  readonly #cache: AnswerCache<AnswerContent & { mark: Cursor }>;
  #latest: AnswerWith<AnswerContent & { mark: Cursor }> | undefined;
  #restUntil = -Infinity;
  /** In the order of the columns, which only changes with the places, not with their counts. */
  #ordered: string[] | undefined;

  constructor(private readonly source: PlaceSource) {
    const { table } = source.places;
    this.#cache = new AnswerCache({
      version: () => `${table.version}.${source.headVersion()}.${source.degraded()}`,
      clock: () => source.clock(),
      make: (now) => this.#make(now),
    });
    const known = new Set<string>();
    table.follow({
      changed: ({ id }) => {
        if (known.has(id)) return;
        known.add(id);
        this.#ordered = undefined;
      },
      removed: ({ id }) => {
        known.delete(id);
        this.#ordered = undefined;
      },
    });
  }

  get(): Answer {
    const began = performance.now();
    if (this.#latest && began < this.#restUntil) return this.#latest;
    const answer = this.#cache.get();
    if (answer !== this.#latest) {
      const now = performance.now();
      const took = now - began;
      this.#restUntil =
        took < QUICK_MS
          ? now
          : now + Math.max(REST * took, answer.size > LARGE.bytes ? LARGE.restMs : 0);
    }
    return (this.#latest = answer);
  }

  /** From where the changes continue that the next answer may lack; null: from now on. */
  mark(): Cursor | null {
    return this.#latest && performance.now() < this.#restUntil ? this.#latest.content.mark : null;
  }

  #make(now: number): AnswerContent & { mark: Cursor } {
    const { table } = this.source.places;
    const head = this.source.head(now);
    const columns = JSON.stringify(placeColumns(this.#rows()));
    const { updatedAt, ...rest } = head;
    return {
      json: Buffer.from(
        `${JSON.stringify({ updatedAt, ...rest }).slice(0, -1)},"places":${columns}}`,
      ),
      etag: weakTag([
        digest(columns),
        JSON.stringify(rest),
        this.source.degraded() ? 'degraded' : '',
      ]),
      until: Infinity,
      mark: { version: table.version, at: now, headVersion: this.source.headVersion() },
    };
  }

  #rows(): PlaceVersion[] {
    const { table } = this.source.places;
    this.#ordered ??= [...table.rows()].sort(columnOrder).map(({ id }) => id);
    return this.#ordered.flatMap((id) => table.get(id) ?? []);
  }
}
