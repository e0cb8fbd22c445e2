import { and, eq, gt, inArray, ne, or } from 'drizzle-orm';
import type { Db } from '#db/client.ts';
import {
  isExpired,
  registeringNodes,
  registrations,
  type RegistrationRow,
} from '#db/schema/index.ts';
import { SetMap } from '#server/common/set-map.ts';
import type { ServiceContext } from '#server/context.ts';
import { AppError } from '#server/common/errors.schema.ts';
import { pinOf } from '#server/identity/index.ts';
import type { LiveModel } from '#server/live/index.ts';

/**
 * A registration is open until it is decided or its reservation expires: meanwhile it holds its name, for nothing.
 * Each node and each client may have a few. The limit of a node is exact, because the database counts. That of a
 * client is kept in memory, so it starts anew with the process, and every server counts its own.
 */

/** The states of an open registration. */
const OPEN = ['pending_payment', 'pending_review'] as const;

const isOpen = (row: RegistrationRow, now: number): boolean =>
  (OPEN as readonly string[]).includes(row.status) && !isExpired(row, now);

/**
 * Refuses to open another registration of a node that has too many. Others for the same node wait here until this
 * transaction has ended, so that any number at once cannot pass the limit.
 * @param row the registration that is to be opened; it is not counted itself. If the key to which its node is pinned
 *   has proved it, only those of the same key count
 * @throws AppError `rate_limited`
 */
export async function limitOpenOfNode(
  tx: Db,
  context: Pick<ServiceContext, 'config' | 'live'>,
  { id, nodeId, proofKey }: Pick<RegistrationRow, 'id' | 'nodeId' | 'proofKey'>,
  now: number,
): Promise<void> {
  const { config } = context;
  if (!config.rateLimits) return;
  const pin = pinOf(context, nodeId);
  // The row is never committed; until the transaction ends, it makes another insert of it wait.
  await tx
    .insert(registeringNodes)
    .values({ nodeId })
    .onConflictDoUpdate({ target: registeringNodes.nodeId, set: { nodeId } });
  await tx.delete(registeringNodes).where(eq(registeringNodes.nodeId, nodeId));
  const open = await tx
    .select({ status: registrations.status, expiresAt: registrations.expiresAt })
    .from(registrations)
    .where(
      and(
        eq(registrations.nodeId, nodeId),
        inArray(registrations.status, OPEN),
        or(eq(registrations.status, 'pending_review'), gt(registrations.expiresAt, new Date(now))),
        ne(registrations.id, id),
        // Strangers don't use up those of the holder of the key.
        pin && pin.key === proofKey ? eq(registrations.proofKey, pin.key) : undefined,
      ),
    );
  const max = config.openRegistrationsPerNode;
  if (open.length >= max) throw tooManyOpen(`The node “${nodeId}”`, max, open, now);
}

/** The open registrations of each client, by the keyed hash of its address. */
export class ClientRegistrations {
  readonly #idsOf = new SetMap<string>();
  readonly #clientOf = new Map<string, string>();

  constructor(
    private readonly live: LiveModel,
    private readonly config: ServiceContext['config'],
  ) {
    live.registrations.follow({
      changed: ({ id, status }) => {
        if (status === 'active' || status === 'rejected') this.delete(id);
      },
      removed: ({ id }) => this.delete(id),
    });
  }

  /**
   * Counts a registration that is about to be opened. Call `delete` if it is not opened after all.
   * @throws AppError `rate_limited`
   */
  add(client: string, id: string, now: number): void {
    if (!this.config.rateLimits || this.#clientOf.has(id)) return;
    const max = this.config.openRegistrationsPerClient;
    const rows = [...this.#idsOf.get(client)].map((each) => this.live.registrations.get(each));
    // One that the read model doesn't know yet is being started.
    const open = rows.filter((row) => row === undefined || isOpen(row, now));
    if (open.length >= max) throw tooManyOpen('Your network', max, open, now);
    this.#idsOf.add(client, id);
    this.#clientOf.set(id, client);
  }

  delete(id: string): void {
    const client = this.#clientOf.get(id);
    if (client === undefined) return;
    this.#clientOf.delete(id);
    this.#idsOf.delete(client, id);
  }
}

/** A review can end one at any time, so nobody is asked to wait longer, seconds. */
const RETRY_AFTER_MAX_S = 3600;

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
    `${whose} already has ${max} open ${max === 1 ? 'registration' : 'registrations'}, the most allowed. Try again when one has been reviewed or its unpaid reservation has expired; only someone with its private link can see it.`,
    { retryAfter: Math.max(1, Math.ceil(Math.min(RETRY_AFTER_MAX_S, ...expiries))) },
  );
}
