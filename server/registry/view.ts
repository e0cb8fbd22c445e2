import type { BlockedRow, ComputeRow, PeerRow, RegistrationRow } from '#db/schema.ts';
import type { ServiceContext } from '#server/common/context.ts';
import { NAME_MAX, NAME_MIN, NAME_PATTERN } from '#server/common/fields.schema.ts';
import { KINDS, NODE_CLASSES } from '#server/common/values.schema.ts';
import { computeStatusUntil } from '#server/computes/index.ts';
import { AnswerCache, PagedJson, type Answer, type Content } from '#server/live/index.ts';
import { peerStatusUntil } from '#server/mesh/index.ts';
import { NOTE_FORMAT } from '#server/payments/note.schema.ts';
import { directoryEntry, liveParts, presentEntry } from './entry.ts';
import type { RegisterInfo, RegistryEntry, RegistryStats } from './registry.schema.ts';

const emptyStats = (): RegistryStats => ({
  active: 0,
  nodes: 0,
  computes: 0,
  nodesOnline: 0,
  computesAvailable: 0,
});

/** Active names as GET /api/registry and GET /api/registry/register show them. */
export class RegistryView {
  readonly #entries: PagedJson<RegistrationRow, RegistryStats>;
  readonly #answer: AnswerCache;
  readonly #info: AnswerCache;

  constructor(private readonly context: ServiceContext) {
    this.#entries = new PagedJson<RegistrationRow, RegistryStats>({
      compare: (a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0),
      tally: emptyStats,
      render: (row, now, tally, until) => JSON.stringify(this.#entry(row, now, tally, until)),
    });
    const { live, names, clock, serverId } = context;
    // For each name, the registration whose entry is in the list.
    const shown = new Map<string, string>();
    names.onChange((name) => {
      const holder = names.active(name);
      const before = shown.get(name);
      if (before !== undefined && before !== holder?.id) {
        this.#entries.delete(before);
        shown.delete(name);
      }
      if (!holder) return;
      this.#entries.set(holder);
      shown.set(name, holder.id);
    });
    // An entry shows its node and its compute offer, and changes with them.
    const touch = (nodeId: string) => {
      for (const name of names.ofNode(nodeId)) {
        const row = names.active(name);
        if (row) this.#entries.touch(row.id);
      }
    };
    const touchNode = ({ id }: PeerRow | BlockedRow) => touch(id);
    live.peers.follow({ changed: touchNode, removed: touchNode });
    live.blocked.follow({ changed: touchNode, removed: touchNode });
    const touchHost = ({ nodeId }: ComputeRow) => touch(nodeId);
    live.computes.follow({ changed: touchHost, removed: touchHost });

    const degraded = () => (live.degraded(clock()) ? '.degraded' : '');
    this.#answer = new AnswerCache({
      clock,
      epoch: serverId,
      version: () =>
        `${live.registrations.version}.${live.peers.version}.${live.computes.version}.${live.blocked.version}${degraded()}`,
      make: (now) => this.#make(now),
    });
    this.#info = new AnswerCache({
      clock,
      epoch: serverId,
      version: () => `${live.registrations.version}`,
      make: () => ({ json: Buffer.from(JSON.stringify(this.info())), until: Infinity }),
    });
  }

  answer(): Answer {
    return this.#answer.get();
  }

  infoAnswer(): Answer {
    return this.#info.get();
  }

  /** Fee, payee, rules, and all active names, newest first. */
  info(): RegisterInfo {
    const { config, names } = this.context;
    const feeUsd = config.feeCents / 100;
    const directory = [...names.all()]
      .map(directoryEntry)
      .sort((a, b) =>
        a.activatedAt === b.activatedAt ? 0 : a.activatedAt > b.activatedAt ? -1 : 1,
      );
    return {
      ok: true,
      feeUsd,
      cashtag: config.cashtag,
      payment: {
        method: 'cash_app',
        cashtag: config.cashtag,
        feeUsd,
        currency: 'USD',
        noteFormat: NOTE_FORMAT,
        instructions: [
          'Start a registration. The answer contains an id, a paymentNote and a payUrl.',
          `Pay exactly ${feeUsd.toFixed(2)} USD to ${config.cashtag}, with exactly that note.`,
          'Confirm the registration with its id. A reviewer then checks the payment and activates the name.',
        ],
      },
      rules: {
        name: { pattern: NAME_PATTERN.source, minLength: NAME_MIN, maxLength: NAME_MAX },
        kinds: [...KINDS],
        classes: [...NODE_CLASSES],
        holdHours: config.holdMs / 3_600_000,
      },
      directory,
      counts: { active: directory.length, pending: names.pending },
    };
  }

  /** Active registrations, by name. */
  rows(): RegistrationRow[] {
    return this.#entries.slice(0, Infinity);
  }

  /** Totals of all active names, as of `now` (ms). */
  stats(now: number): RegistryStats {
    return sum(this.#entries.at(now).tallies);
  }

  #make(now: number): Content {
    const { chunks, count, tallies, until } = this.#entries.at(now);
    const head = {
      ok: true,
      updatedAt: new Date(this.context.live.asOf(now)).toISOString(),
      count,
      stats: sum(tallies),
    };
    return {
      json: Buffer.concat([
        Buffer.from(`${JSON.stringify(head).slice(0, -1)},"entries":[`),
        ...chunks,
        Buffer.from(']}'),
      ]),
      until,
    };
  }

  #entry(
    row: RegistrationRow,
    now: number,
    tally: RegistryStats,
    until: (moment: number) => void,
  ): RegistryEntry {
    const { peer, compute } = liveParts(this.context, row);
    if (peer) until(peerStatusUntil(peer, now));
    if (compute) until(computeStatusUntil(compute, now, this.context.config.computeFreshMs));
    const entry = presentEntry(this.context, row, now);
    tally.active++;
    if (row.kinds.includes('node')) tally.nodes++;
    if (row.kinds.includes('compute')) tally.computes++;
    if (entry.node?.status === 'online') tally.nodesOnline++;
    if (entry.compute?.status === 'available') tally.computesAvailable++;
    return entry;
  }
}

function sum(tallies: RegistryStats[]): RegistryStats {
  const stats = emptyStats();
  for (const tally of tallies)
    for (const key of Object.keys(stats) as (keyof RegistryStats)[]) stats[key] += tally[key];
  return stats;
}
