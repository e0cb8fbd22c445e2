import { and, eq, gt, inArray, ne, or } from 'drizzle-orm';
import type { Db } from '#db/client.ts';
import { isExpired, registrations, type RegistrationRow } from '#db/schema/index.ts';
import { AppError } from '#server/common/errors.schema.ts';
import { SetMap } from '#server/common/set-map.ts';
import { TokenBuckets } from '#server/common/token-buckets.ts';
import type { ServiceContext } from '#server/context.ts';
import { lockNode } from '#server/identity/index.ts';
import type { LiveModel } from '#server/live/index.ts';

/**
 * A registration is open until it is decided or its reservation expires: meanwhile it holds its name, for nothing.
 * Anyone may start one for any node, so what isn't proved counts for who started it, never for the node: else
 * strangers could lock its operator out. What the node's own key has proved counts for the node, and nobody else's
 * count holds it back. Until a reviewer has decided whose key that is, it counts for the client too, apart from what
 * isn't proved: anyone can make nodes whose heartbeats a key signs. The database counts a node's exactly; a client's are
 * counted in memory, so that count starts anew with the process, and every server has its own.
 */

/** The states of an open registration. */
const OPEN = ['pending_payment', 'pending_review'] as const;

const isOpen = (row: RegistrationRow, now: number): boolean =>
  (OPEN as readonly string[]).includes(row.status) && !isExpired(row, now);

/**
 * Refuses to open another registration that the node's own key has proved if there are too many. Others of the same
 * node wait here until this transaction has ended, so that any number at once cannot pass the limit.
 * @param row the registration that is to be opened; it is not counted itself
 * @throws AppError `rate_limited`
 */
export async function limitProvedOfNode(
  tx: Db,
  { config }: Pick<ServiceContext, 'config'>,
  { id, nodeId, proofKey }: ProvedRow,
  now: number,
): Promise<void> {
  if (!config.rateLimits) return;
  await lockNode(tx, nodeId);
  const open = await tx
    .select({ status: registrations.status, expiresAt: registrations.expiresAt })
    .from(registrations)
    .where(
      and(
        eq(registrations.nodeId, nodeId),
        inArray(registrations.status, OPEN),
        or(eq(registrations.status, 'pending_review'), gt(registrations.expiresAt, new Date(now))),
        ne(registrations.id, id),
        eq(registrations.proofKey, proofKey),
      ),
    );
  const max = config.openRegistrationsPerNode;
  if (open.length >= max)
    throw tooManyOpen(`The key of the node “${nodeId}” already has`, max, open, now);
}

type ProvedRow = Pick<RegistrationRow, 'id' | 'nodeId'> & { proofKey: string };

/** An open registration that counts for a client. */
interface Counted {
  /** The keyed hash of the client's address; of what a node's key has proved, with {@link SIGNING} before it. */
  counter: string;
  nodeId: string;
}

/** Begins the counters of a client for what keys of nodes prove that no reviewer has pinned. */
const SIGNING = 'signing ';

/** The open registrations of each client, without those that a key proves which a reviewer has pinned. */
export class ClientRegistrations {
  readonly #idsOf = new SetMap<string>();
  readonly #counted = new Map<string, Counted>();

  constructor(
    private readonly live: LiveModel,
    private readonly config: ServiceContext['config'],
  ) {
    live.registrations.follow({
      changed: ({ id, status }) => {
        if (status === 'active') this.delete(id);
      },
      removed: ({ id }) => this.delete(id),
    });
  }

  /**
   * Counts a registration that is about to be opened.
   * @param proved by the node's own key
   * @returns call it if the registration is not opened after all: it no longer counts, unless another call counts it
   * @throws AppError `rate_limited` (the client has too many, or too many for this node)
   */
  add(
    client: string,
    { id, nodeId }: Pick<RegistrationRow, 'id' | 'nodeId'>,
    proved: boolean,
    now: number,
  ): () => void {
    if (!this.config.rateLimits || this.#counted.has(id)) return () => undefined;
    const counter = proved ? `${SIGNING}${client}` : client;
    const open = [...this.#idsOf.get(counter)]
      .map((each) => ({
        nodeId: this.#counted.get(each)?.nodeId,
        row: this.live.registrations.get(each),
      }))
      // One that the read model doesn't know yet is being started.
      .filter(({ row }) => row === undefined || isOpen(row, now));
    const { openRegistrationsPerClient, openRegistrationsPerNode } = this.config;
    if (open.length >= openRegistrationsPerClient)
      throw tooManyOpen(
        proved
          ? 'Keys of nodes in your network that no reviewer has accepted a name of already have'
          : 'Your network already has',
        openRegistrationsPerClient,
        open.map(({ row }) => row),
        now,
      );
    const ofNode = open.filter((each) => each.nodeId === nodeId);
    if (ofNode.length >= openRegistrationsPerNode)
      throw tooManyOpen(
        `For the node “${nodeId}”, your network already has`,
        openRegistrationsPerNode,
        ofNode.map(({ row }) => row),
        now,
      );
    const counted = { counter, nodeId };
    this.#idsOf.add(counter, id);
    this.#counted.set(id, counted);
    return () => {
      if (this.#counted.get(id) === counted) this.delete(id);
    };
  }

  delete(id: string): void {
    const counted = this.#counted.get(id);
    if (!counted) return;
    this.#counted.delete(id);
    this.#idsOf.delete(counted.counter, id);
  }
}

/** How long an empty allowance takes to fill, milliseconds. */
const DAY_MS = 86_400_000;

/**
 * How many registrations may be started a day, in memory: many at once, then evenly. Otherwise whoever starts and
 * cancels in turn, and so never has one open, would fill the database.
 */
export class NewRegistrations {
  readonly #buckets: TokenBuckets;

  constructor(
    private readonly config: Pick<
      ServiceContext['config'],
      'rateLimits' | 'newRegistrationsPerDay'
    >,
  ) {
    this.#buckets = new TokenBuckets(config.newRegistrationsPerDay, DAY_MS);
  }

  /**
   * What one start takes: nothing before `take`, and one however often that is called.
   * @param whose.client the keyed hash of a client; undefined: no limit
   * @param whose.nodeId the node whose own key starts it; undefined: it is not proved
   */
  one({ client, nodeId }: { client?: string | undefined; nodeId?: string | undefined }) {
    const proved = nodeId !== undefined;
    const whose: [key: string, text: string][] = [];
    if (proved) whose.push([`node ${nodeId}`, 'This node’s key has']);
    if (client !== undefined)
      whose.push(
        proved
          ? [`${SIGNING}${client}`, 'Keys of nodes in your network have']
          : [client, 'Your network has'],
      );
    const taken = new Set<string>();
    return {
      /** @throws AppError `rate_limited` */
      take: (): void => {
        if (!this.config.rateLimits) return;
        for (const [key, text] of whose) {
          if (taken.has(key)) continue;
          const waitMs = this.#buckets.take(key, 1);
          if (waitMs > 0) throw tooManyStarted(text, this.config.newRegistrationsPerDay, waitMs);
          taken.add(key);
        }
      },
      putBack: (): void => {
        for (const key of taken) this.#buckets.putBack(key, 1);
        taken.clear();
      },
    };
  }
}

/** @param whose the beginning of the sentence, with its verb */
const tooManyStarted = (whose: string, max: number, waitMs: number): AppError => {
  const retryAfter = Math.ceil(waitMs / 1000);
  return new AppError(
    'rate_limited',
    `${whose} started ${max} registrations in a day, the most allowed. Try again in ${Math.ceil(retryAfter / 60)} minutes.`,
    { retryAfter },
  );
};

/** A review can end one at any time, so nobody is asked to wait longer, seconds. */
const RETRY_AFTER_MAX_S = 3600;

/** @param whose the beginning of the sentence, with its verb */
function tooManyOpen(
  whose: string,
  max: number,
  open: (Pick<RegistrationRow, 'status' | 'expiresAt'> | undefined)[],
  now: number,
): AppError {
  const expiries = open.flatMap((row) =>
    row?.status === 'pending_payment' ? [(row.expiresAt.getTime() - now) / 1000] : [],
  );
  return new AppError(
    'rate_limited',
    `${whose} ${max} open ${max === 1 ? 'registration' : 'registrations'}, the most allowed. Try again when one has been reviewed or its unpaid reservation has expired; only someone with its private link can see it. The key of a running node has a limit of its own: “mesh-agent register” signs with it.`,
    { retryAfter: Math.max(1, Math.ceil(Math.min(RETRY_AFTER_MAX_S, ...expiries))) },
  );
}
