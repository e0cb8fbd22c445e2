import type { PlacesHead } from '@mesh-registry/protocol/rest/mesh.schema.ts';
import {
  AnswerCache,
  ChangeStream,
  digest,
  ListAnswer,
  weakTag,
  type Answer,
  type AnswerContent,
  type AnswerWith,
  type Cursor,
  type EventFrame,
} from '#server/live/index.ts';
import type { ServiceContext } from '#server/context.ts';
import { columnOrder, placeColumns } from './place-columns.schema.ts';
import { placeTuple, type PlaceTuple, type PulseTuple } from './places.schema.ts';
import type { PlaceVersion } from './places.ts';
import { PulseSample } from './pulses.ts';
import type { MeshView } from './view.ts';

/** Making takes at most a tenth of a core: what took some time rests for nine times as long. */
const REST = 9;
/** Larger answers take some time to compress as well, so they rest for a while, bytes and milliseconds. */
const LARGE = { bytes: 100_000, restMs: 250 };
/** What takes less than this is made anew for everybody, milliseconds. */
const QUICK_MS = 1;

/** What a change of the map has beside its places. */
interface Pulses {
  /** A few of the nodes that were heard from since the last change. */
  pulses?: PulseTuple[];
  /** How many nodes were heard from since the last change, about a second ago; null if that is longer ago. */
  beats?: number | null;
}

/** All places in columns, and from where the changes continue. */
type Places = AnswerContent & { mark: Cursor };

/** The network by place, as the map page follows it: the whole, and what changes. */
export class PlaceMap {
  readonly #cache: AnswerCache<Places>;
  #latest: AnswerWith<Places> | undefined;
  #restUntil = -Infinity;
  /** The ids in the order of the columns, which only changes with the places, not with their counts. */
  #ordered: string[] | undefined;
  /** In rows, as the snapshots of the stream have them. */
  readonly #list: ListAnswer<PlaceVersion, Cursor>;
  readonly #changes: ChangeStream<PlaceVersion, PlacesHead, PlaceTuple, Pulses>;
  readonly #pulses: PulseSample;

  constructor(
    private readonly context: ServiceContext,
    private readonly mesh: MeshView,
  ) {
    const { live, clock, config } = context;
    const { table } = mesh.places;
    this.#pulses = new PulseSample(clock(), config.coordinateGrid);
    this.#cache = new AnswerCache({
      version: () => `${table.version}.${mesh.headVersion()}`,
      clock,
      make: (now) => this.#make(now),
    });
    this.#list = new ListAnswer<PlaceVersion, Cursor>(context, {
      id: 'places',
      name: 'places',
      // Neighbours have the same digits, which compresses better.
      order: ({ lat, lng }) => lat * 1000 + lng,
      render: (place) => JSON.stringify(placeTuple(place)),
      frame: (now) => ({ head: this.#head(now), mark: this.#mark(now) }),
      version: () => `${table.version}.${mesh.headVersion()}`,
    });
    this.#changes = new ChangeStream<PlaceVersion, PlacesHead, PlaceTuple, Pulses>(context, {
      table,
      list: { whole: () => this.#whole() },
      advance: (now) => mesh.advance(now),
      headVersion: () => mesh.headVersion(),
      head: (now) => this.#head(now),
      aged: () => false,
      present: placeTuple,
      wasShown: () => true,
      more: (from, to) => {
        const pulses = this.#pulses.between(from.at, to.at);
        return pulses.length > 0
          ? { pulses, beats: this.#pulses.beatsBetween(from.at, to.at) }
          : null;
      },
    });
    const known = new Set<string>();
    table.follow({
      changed: (place) => {
        this.#list.set(place);
        if (known.has(place.id)) return;
        known.add(place.id);
        this.#ordered = undefined;
      },
      removed: ({ id }) => {
        this.#list.delete(id);
        known.delete(id);
        this.#ordered = undefined;
      },
    });
    live.peers.follow({
      changed: (row, before) => {
        if (row.lastSeen.getTime() === before?.lastSeen.getTime() || !live.nodes.isShown(row.id))
          return;
        this.#pulses.add(row, clock());
      },
      removed: () => undefined,
    });
  }

  /** All places in columns. Those of 100,000 nodes take some 10 ms to make, so they may be 0.3 s old. */
  answer(): Answer {
    this.mesh.advance(this.context.clock());
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

  /** Heartbeats of each of the last seconds, oldest first: at most a minute. */
  beats(): number[] {
    return this.#pulses.lastBeats(this.context.clock());
  }

  /** Where `changes` continues after an answer that is asked for from now on. */
  cursor(): string {
    const isResting = performance.now() < this.#restUntil;
    return this.#changes.cursor(isResting ? this.#latest?.content.mark : null);
  }

  changes(
    lastEventId: string | undefined,
    signal: AbortSignal,
  ): AsyncGenerator<EventFrame<PlacesHead, PlaceTuple, Pulses>> {
    return this.#changes.follow(lastEventId, signal);
  }

  #make(now: number): Places {
    const { table } = this.mesh.places;
    this.#ordered ??= [...table.rows()].sort(columnOrder).map(({ id }) => id);
    const places = this.#ordered.flatMap((id) => table.get(id) ?? []);
    const columns = JSON.stringify(placeColumns(places));
    const { updatedAt, ...rest } = this.#head(now);
    const head = JSON.stringify({ updatedAt, ...rest });
    return {
      json: Buffer.from(`${head.slice(0, -1)},"places":${columns}}`),
      etag: weakTag([
        digest(columns),
        JSON.stringify(rest),
        this.context.live.degraded() ? 'degraded' : '',
      ]),
      until: Infinity,
      mark: this.#mark(now),
    };
  }

  #whole() {
    this.mesh.advance(this.context.clock());
    return this.#list.whole();
  }

  #head(now: number): PlacesHead {
    return { ...this.mesh.moment(now), genesisPlaced: this.context.config.genesis.placed };
  }

  #mark(now: number): Cursor {
    const { version } = this.mesh.places.table;
    return { version, at: now, headVersion: this.mesh.headVersion() };
  }
}
