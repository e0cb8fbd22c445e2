import type { MeshService } from '#server/mesh/index.ts';
import { dayOf, QUARTER_MS } from './quarters.ts';
import { nodesOf, type RecordedNetwork } from './totals.ts';
import type { NetworkTrends } from './trends.ts';

/** How the network grew, in a few numbers: for the map page. */
export interface Growth {
  /** Since the day began, 00:00 UTC. `left` is null where nothing has been recorded yet. */
  today: { since: string; joined: number; left: number | null };
  /** The mean number of nodes of each of the last 90 UTC days from the first that was measured; null: not measured. `before` is that of the day before. */
  days: { from: string | null; nodes: (number | null)[]; before: number | null };
}

/** What is known from the quarters that have been recorded. */
interface Recorded {
  key: string;
  days: Growth['days'];
  /** The end of the last quarter, or the beginning of the day, ms. */
  until: number;
  /** How many nodes there were then; null: not recorded. */
  before: number | null;
  /** Nodes that joined and left today until then. */
  joined: number;
  left: number;
}

/** The days and the nodes that joined and left today: the recorded part is made once for each quarter. */
export class NetworkGrowth {
  #recorded: Recorded | null = null;

  constructor(
    private readonly network: RecordedNetwork,
    private readonly trends: NetworkTrends,
    private readonly mesh: Pick<MeshService, 'countSince'>,
    private readonly clock: () => number,
  ) {}

  /** Now. Costs nearly the same for any number of nodes. */
  get(): Growth {
    const today = dayOf(this.clock());
    const { days, until, before, joined, left } = this.#upToLastQuarter(today);
    const fresh = this.mesh.countSince(until);
    // Whoever was there at the end of the last quarter, or came since, and isn't there has left.
    const gone = before === null ? null : Math.max(0, before + fresh.joined - fresh.peers);
    return {
      today: {
        since: new Date(today).toISOString(),
        joined: joined + fresh.joined,
        left: gone === null ? null : left + gone,
      },
      days,
    };
  }

  #upToLastQuarter(today: number): Recorded {
    const { network, trends } = this;
    const key = trends.version();
    if (this.#recorded?.key === key) return this.#recorded;
    const { days, before } = trends.get(90);
    const latest = network.latest();
    const totals = network.dayTotals(today);
    return (this.#recorded = {
      key,
      days: {
        from: days[0]?.day ?? null,
        nodes: days.map(({ nodes }) => nodes),
        before: before?.nodes ?? null,
      },
      until: Math.max(today, latest === null ? 0 : latest.quarter + QUARTER_MS),
      before: latest && nodesOf(latest.totals),
      joined: totals.joined ?? 0,
      left: totals.left ?? 0,
    });
  }
}
