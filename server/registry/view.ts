import type { ComputeRow, PeerRow, RegistrationRow } from '#db/schema/index.ts';
import { NAME_MAX, NAME_MIN, NAME_PATTERN } from '@mesh-registry/protocol/rest/fields.schema.ts';
import { KINDS, NODE_CLASSES } from '@mesh-registry/protocol/values.schema.ts';
import {
  AnswerCache,
  digest,
  ListAnswer,
  weakTag,
  type Answer,
  type AnswerContent,
  type AnswerWith,
} from '#server/live/index.ts';
import { NOTE_FORMAT } from '@mesh-registry/protocol/rest/payment-note.schema.ts';
import { directoryEntry, entryUntil, presentEntry, type RegistryContext } from './entry.ts';
import type { RegisterInfo, RegistryStats } from '@mesh-registry/protocol/rest/registry.schema.ts';
import { NameTotals } from './name-totals.ts';

/** Active names as GET /api/registry and GET /api/registry/register show them. */
export class RegistryView {
  readonly #entries: ListAnswer<RegistrationRow>;
  readonly #totals: NameTotals;
  readonly #info: AnswerCache;
  /** Changes when the heartbeats of a node with a name say something else. */
  #factsVersion = 0;
  #newest: { version: number; rows: readonly RegistrationRow[] } = { version: -1, rows: [] };

  constructor(private readonly context: RegistryContext) {
    const { live, names, clock } = context;
    const degraded = () => (live.degraded() ? '.degraded' : '');
    this.#totals = new NameTotals(context);
    this.#entries = new ListAnswer<RegistrationRow>(context, {
      id: 'registry',
      name: 'entries',
      order: (row) => row.name,
      render(row, now, until) {
        until(entryUntil(context, row, now));
        return JSON.stringify(presentEntry(context, row, now));
      },
      frame: (now) => this.#frame(now),
      version: () =>
        `${live.registrations.version}.${live.peers.version}.${live.computes.version}.${live.blocked.version}.${live.hidden.version}${degraded()}`,
    });
    // For each name, the registration whose entry is in the list.
    const shown = new Map<string, string>();
    names.onChange((name) => {
      const holder = names.active(name);
      const before = shown.get(name);
      if (before !== undefined && before !== holder?.id) {
        this.#entries.delete(before);
        this.#totals.delete(before);
        shown.delete(name);
      }
      if (!holder) return;
      this.#entries.set(holder);
      this.#totals.set(holder, clock());
      shown.set(name, holder.id);
    });
    // An entry shows its node and its compute offer, and changes with them.
    const touch = (nodeId: string) => {
      for (const name of names.ofNode(nodeId)) {
        const row = names.active(name);
        if (!row || shown.get(name) !== row.id) continue;
        this.#entries.touch(row.id);
        this.#totals.set(row, clock());
      }
    };
    const touchFacts = (nodeId: string) => {
      if (names.ofNode(nodeId).size > 0) this.#factsVersion++;
      touch(nodeId);
    };
    live.peers.follow({
      changed: (row, before) => (saysTheSame(row, before) ? touch : touchFacts)(row.id),
      removed: ({ id }) => touchFacts(id),
    });
    live.nodes.onShownOrHidden(touchFacts);
    const touchHost = ({ nodeId }: ComputeRow) => touch(nodeId);
    live.computes.follow({ changed: touchHost, removed: touchHost });

    this.#info = new AnswerCache({
      clock,
      version: () => `${live.registrations.version}.${this.#factsVersion}`,
      make: () => {
        const json = Buffer.from(JSON.stringify(this.info()));
        return { json, etag: weakTag([digest(json)]), until: Infinity };
      },
    });
  }

  answer(): Answer | Promise<Answer> {
    return this.#entries.answer();
  }

  infoAnswer(): AnswerWith<AnswerContent> {
    return this.#info.get();
  }

  /** Fee, payee, rules, and all active names, newest first. */
  info(): RegisterInfo {
    const { config, names } = this.context;
    const feeUsd = config.feeCents / 100;
    const directory = [...names.all()]
      .map((row) => directoryEntry(this.context, row))
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

  /** The same, newest first. Sorted once for each change of a registration. */
  newest(): readonly RegistrationRow[] {
    const { version } = this.context.live.registrations;
    if (this.#newest.version !== version) {
      const rows = this.rows().sort((a, b) => activatedAt(b) - activatedAt(a));
      this.#newest = { version, rows };
    }
    return this.#newest.rows;
  }

  /** Totals of all active names, as of `now` (ms). */
  stats(now: number): RegistryStats {
    return this.#totals.at(now);
  }

  /** How many names have a node of each status, an offer with free slots, and each region, as of `now` (ms). */
  facets(now: number) {
    return this.#totals.facets(now);
  }

  #frame(now: number) {
    const stats = this.#totals.at(now);
    return {
      head: {
        ok: true,
        updatedAt: new Date(this.context.live.asOf(now)).toISOString(),
        count: stats.active,
        stats,
      },
      mark: null,
    };
  }
}

/** Whether two heartbeats of a node agree about its label, class and region. */
const saysTheSame = (row: PeerRow, before: PeerRow | undefined): boolean =>
  before?.label === row.label &&
  before.class === row.class &&
  before.region === row.region &&
  (row.region !== null || (before.lat === row.lat && before.lng === row.lng));

const activatedAt = (row: RegistrationRow): number => (row.activatedAt ?? row.updatedAt).getTime();
