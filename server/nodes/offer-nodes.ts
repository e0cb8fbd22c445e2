import { UNKNOWN_REGION } from '@mesh-registry/protocol/values.schema.ts';
import { fixedAnswer, type Answer } from '#server/live/index.ts';
import type { ServiceContext } from '#server/context.ts';
import type { UptimeService } from '#server/uptime/index.ts';

/** What the compute directory shows of the node that announces an offer. */
export interface OfferNode {
  /** As in its latest heartbeat; `ZZ` where that is unknown. */
  region: string;
  /** Of the last 30 days, from 0 to 1; null where nothing was measured. */
  uptime: number | null;
}

/** The same of all nodes with compute offers, by their ids, as it is sent: `[region, uptime]`. */
export type OfferNodes = Record<string, [region: string, uptime: number | null]>;

interface Made {
  /** ms */
  at: number;
  uptimes: ReadonlyMap<string, number | null>;
  answer?: Answer;
}

/** How old the uptimes may be, milliseconds: a quarter of an hour changes them by a tenth of a percent at most. */
const MAX_AGE_MS = 60_000;

/**
 * The nodes behind the compute offers, for the directory. The uptimes of all are read once a minute at most, however many
 * ask, and only if somebody asks; regions are those of the moment.
 */
export class OfferNodeIndex {
  #made: Made | undefined;
  #making: Promise<unknown> | undefined;

  constructor(
    private readonly context: Pick<ServiceContext, 'live' | 'clock'>,
    private readonly uptime: Pick<UptimeService, 'monthShares'>,
  ) {}

  /** What is known of a node, whether it exists or not. The first to ask waits for the uptimes, a second at most. */
  async lookUp(): Promise<(id: string) => OfferNode> {
    const { uptimes } = await this.#current();
    return (id) => this.#of(id, uptimes);
  }

  /** All nodes that are shown and have announced an offer, as JSON: {@link OfferNodes}. */
  async answer(): Promise<Answer> {
    const made = await this.#current();
    return (made.answer ??= fixedAnswer(JSON.stringify({ nodes: this.#all(made.uptimes) })));
  }

  async #current(): Promise<Made> {
    const { clock } = this.context;
    if (!this.#made || clock() - this.#made.at >= MAX_AGE_MS) {
      this.#making ??= this.#make().finally(() => (this.#making = undefined));
      // What is a minute old is shown while it is made again.
      if (!this.#made) await this.#making;
    }
    return this.#made ?? { at: 0, uptimes: new Map() };
  }

  async #make(): Promise<void> {
    const uptimes = await this.uptime.monthShares(this.#ids());
    this.#made = { at: this.context.clock(), uptimes };
  }

  #ids(): Set<string> {
    const { live } = this.context;
    const ids = new Set<string>();
    for (const { nodeId } of live.computes.rows()) if (live.nodes.isShown(nodeId)) ids.add(nodeId);
    return ids;
  }

  #of(id: string, uptimes: ReadonlyMap<string, number | null>): OfferNode {
    const region = this.context.live.peers.get(id)?.region ?? UNKNOWN_REGION;
    return { region, uptime: uptimes.get(id) ?? null };
  }

  #all(uptimes: ReadonlyMap<string, number | null>): OfferNodes {
    const nodes = Object.create(null) as OfferNodes;
    for (const id of [...this.#ids()].sort()) {
      const { region, uptime } = this.#of(id, uptimes);
      nodes[id] = [region, uptime];
    }
    return nodes;
  }
}
