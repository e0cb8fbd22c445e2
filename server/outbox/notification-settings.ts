import { and, desc, eq, gt, isNull, lte, or } from 'drizzle-orm';
import { randomBytes } from 'node:crypto';
import type { Db } from '#db/client.ts';
import {
  notificationMessages,
  notificationTargets,
  outages,
  type NotificationMessage,
  type NotificationTarget,
  type RegistrationRow,
} from '#db/schema/index.ts';
import type { ServiceContext } from '#server/context.ts';
import { AppError, invalid } from '#server/common/errors.schema.ts';
import { inTransaction, withRetry } from '#server/common/with-retry.ts';
import { hostOf, whyRefusedAddress } from './address.ts';
import type { SaveNotifications } from './notifications.schema.ts';
import { enqueueOutage } from './notification-outbox.ts';

export type NotificationSettings = NonNullable<Awaited<ReturnType<typeof readSettings>>>;
export type RecentMessage = ReturnType<typeof presentMessage>;

/** The latest messages that are shown. */
const RECENT = 5;

const noTarget = () =>
  new AppError(
    'not_found',
    'No notifications are set up for this registration. Save an address first.',
  );

const newSecret = () => `whsec_${randomBytes(32).toString('base64')}`;

async function targetOf(db: Db, registrationId: string): Promise<NotificationTarget | null> {
  const [target] = await withRetry(() =>
    db
      .select()
      .from(notificationTargets)
      .where(eq(notificationTargets.registrationId, registrationId)),
  );
  return target ?? null;
}

/**
 * What the holder of a registration has set up; not the address and the secret.
 * @returns null if nothing is set up
 * @throws AppError `unavailable`
 */
export async function readSettings({ db, clock }: ServiceContext, registrationId: string) {
  const target = await targetOf(db, registrationId);
  if (!target) return null;
  const { kind, address, enabled, onDecision, offlineMinutes, onReturn } = target;
  const begun = or(
    gt(notificationMessages.attempts, 0),
    isNull(notificationMessages.nextAttemptAt),
  );
  const recent = await withRetry(() =>
    db
      .select()
      .from(notificationMessages)
      .where(
        and(
          eq(notificationMessages.registrationId, registrationId),
          // An outage that may still end before it is reported is no message yet.
          or(begun, lte(notificationMessages.nextAttemptAt, new Date(clock()))),
        ),
      )
      .orderBy(desc(notificationMessages.createdAt))
      .limit(RECENT),
  );
  return {
    kind,
    /** The address without its path, which is often a secret. */
    host: hostOf(address),
    enabled,
    onDecision,
    /** Null: outages are not reported. */
    offlineMinutes,
    onReturn,
    /** Newest first. */
    recent: recent.map(presentMessage),
  };
}

const presentMessage = (message: NotificationMessage) => ({
  event: message.event,
  at: message.createdAt.toISOString(),
  state: stateOf(message),
  /** How the last attempt ended, in words; null if there was none. */
  outcome: message.outcome,
});

function stateOf({ deliveredAt, nextAttemptAt, attempts }: NotificationMessage) {
  if (deliveredAt) return 'delivered';
  if (nextAttemptAt === null) return 'given up';
  return attempts > 0 ? 'retrying' : 'waiting';
}

/**
 * Sets an address, or changes what is sent to it. Switches notifications on.
 * @returns the secret, if it is a new one: it is never given back again
 * @throws AppError `invalid_body`, `unavailable`
 */
export async function saveSettings(
  context: ServiceContext,
  row: RegistrationRow,
  input: SaveNotifications,
  allowLoopback: boolean,
): Promise<{ secret: string | null }> {
  const before = await targetOf(context.db, row.id);
  const address = input.address ?? (before?.kind === input.kind ? before.address : undefined);
  const refused = address === undefined ? 'is required' : whyRefusedAddress(address, allowLoopback);
  if (address === undefined || refused !== null)
    throw invalid('invalid_body', [{ path: 'address', message: refused ?? 'is required' }]);
  const signed = input.kind === 'webhook';
  const secret = signed && !before?.secret ? newSecret() : null;
  const target: NotificationTarget = {
    registrationId: row.id,
    kind: input.kind,
    address,
    secret: signed ? (secret ?? before?.secret ?? null) : null,
    enabled: true,
    onDecision: input.onDecision,
    offlineMinutes: input.onOffline ? input.offlineMinutes : null,
    onReturn: input.onOffline && input.onReturn,
    updatedAt: new Date(context.clock()),
  };
  await store(context, row, target);
  return { secret };
}

/** @throws AppError `not_found`, `unavailable` */
export async function switchSettings(
  context: ServiceContext,
  row: RegistrationRow,
  enabled: boolean,
): Promise<void> {
  const target = await requireTarget(context.db, row.id);
  await store(context, row, { ...target, enabled, updatedAt: new Date(context.clock()) });
}

/** A new secret; the old one stops working at once. @throws AppError `not_found`, `unavailable` */
export async function renewSecret(
  context: ServiceContext,
  row: RegistrationRow,
): Promise<{ secret: string }> {
  const target = await targetOf(context.db, row.id);
  if (target?.kind !== 'webhook') throw noTarget();
  const secret = newSecret();
  await store(context, row, { ...target, secret, updatedAt: new Date(context.clock()) });
  return { secret };
}

/** Deletes the address, its secret, and all messages. @throws AppError `unavailable` */
export async function removeSettings(
  { db }: ServiceContext,
  registrationId: string,
): Promise<void> {
  await inTransaction(db, async (tx) => {
    await tx
      .delete(notificationTargets)
      .where(eq(notificationTargets.registrationId, registrationId));
    await tx
      .delete(notificationMessages)
      .where(eq(notificationMessages.registrationId, registrationId));
  });
}

export async function requireTarget(db: Db, registrationId: string): Promise<NotificationTarget> {
  const target = await targetOf(db, registrationId);
  if (!target) throw noTarget();
  return target;
}

/** Stores the settings. An outage that lasts is due by the new ones, unless it has been reported. */
async function store(
  context: ServiceContext,
  row: RegistrationRow,
  target: NotificationTarget,
): Promise<void> {
  const { registrationId: _, ...set } = target;
  await inTransaction(context.db, async (tx) => {
    await tx
      .insert(notificationTargets)
      .values(target)
      .onConflictDoUpdate({ target: notificationTargets.registrationId, set });
    await tx
      .delete(notificationMessages)
      .where(
        and(
          eq(notificationMessages.registrationId, row.id),
          eq(notificationMessages.event, 'offline'),
          eq(notificationMessages.attempts, 0),
        ),
      );
    if (row.status !== 'active') return;
    const open = await tx
      .select()
      .from(outages)
      .where(and(eq(outages.nodeId, row.nodeId), isNull(outages.backAt)));
    for (const outage of open)
      await enqueueOutage(tx, context, { outage, target, row }, context.clock());
  });
}
