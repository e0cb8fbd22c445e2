import type { PlacesHead } from '@mesh-registry/protocol/rest/mesh.schema.ts';
import {
  ChangeStream,
  ListAnswer,
  type Cursor,
  type EventFrame,
  type Answer,
} from '#server/live/index.ts';
import type { ServiceContext } from '#server/context.ts';
import { PlaceAnswer } from './place-answer.ts';
import { placeTuple, type PlaceTuple, type PulseTuple } from './places.schema.ts';
import type { PlaceVersion } from './places.ts';
import { PulseSample } from './pulses.ts';
import type { MeshView } from './view.ts';

/** What a change of the map has beside its places. */
export interface Pulses {
  /** A few of the nodes that were heard from since the last change. */
  pulses?: PulseTuple[];
}

/** The network by place, as the map page follows it: the whole, and what changes. */
export class PlaceMap {
  readonly #answer: PlaceAnswer;
  /** In rows, as the snapshots of the stream have them. */
  readonly #list: ListAnswer<PlaceVersion, Cursor>;
  readonly #changes: ChangeStream<PlaceVersion, PlacesHead, PlaceTuple, Pulses>;
  readonly #pulses = new PulseSample();

  constructor(
    private readonly context: ServiceContext,
    private readonly mesh: MeshView,
  ) {
    const { live, clock } = context;
    const { table } = mesh.places;
    const mark = (at: number) => ({
      version: table.version,
      at,
      headVersion: mesh.headVersion(),
    });
    this.#answer = new PlaceAnswer({
      places: mesh.places,
      head: (now) => this.#head(now),
      headVersion: () => mesh.headVersion(),
      degraded: () => live.degraded(),
      clock,
    });
    this.#list = new ListAnswer<PlaceVersion, Cursor>(context, {
      id: 'places',
      name: 'places',
      // Neighbours have the same digits, which compresses better.
      order: ({ lat, lng }) => lat * 1000 + lng,
      render: (place) => JSON.stringify(placeTuple(place)),
      frame: (now) => ({
        head: this.#head(now),
        state: live.degraded() ? 'degraded' : '',
        mark: mark(now),
      }),
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
        return pulses.length > 0 ? { pulses } : null;
      },
    });
    table.follow({
      changed: (place) => this.#list.set(place),
      removed: ({ id }) => this.#list.delete(id),
    });
    live.peers.follow({
      changed: (row, before) => {
        if (row.lastSeen.getTime() === before?.lastSeen.getTime() || live.isBlocked(row.id)) return;
        this.#pulses.add(row, clock());
      },
      removed: () => undefined,
    });
  }

  /** All places; thousands of them as they were at most 0.3 s ago. */
  answer(): Answer {
    this.mesh.advance(this.context.clock());
    return this.#answer.get();
  }

  /** Where `changes` continues after an answer that is asked for from now on. */
  cursor(): string {
    return this.#changes.cursor(this.#answer.mark());
  }

  changes(
    lastEventId: string | undefined,
    signal: AbortSignal,
  ): AsyncGenerator<EventFrame<PlacesHead, PlaceTuple, Pulses>> {
    return this.#changes.follow(lastEventId, signal);
  }

  #whole() {
    this.mesh.advance(this.context.clock());
    return this.#list.whole();
  }

  #head(now: number): PlacesHead {
    return { ...this.mesh.moment(now), genesisPlaced: this.context.config.genesis.placed };
  }
}
