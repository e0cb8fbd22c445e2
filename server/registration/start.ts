import { createHash, randomInt } from 'node:crypto';
import { and, eq, gt, lte } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import {
  NOTE_ALPHABET,
  NOTE_SUFFIX_LENGTH,
} from '@mesh-registry/protocol/rest/payment-note.schema.ts';
import {
  REGISTRATION_ID_PATTERN,
  StartHeaders,
  type RegistrationRecord,
  type Start,
} from '@mesh-registry/protocol/rest/register.schema.ts';
import { OPERATOR, PROVED_REASON, UNKNOWN_REGION } from '@mesh-registry/protocol/values.schema.ts';
import type { Db } from '#db/client.ts';
import { databaseCode } from '#db/connection/errors.ts';
import {
  hasSecretId,
  idempotencyKeys,
  isExpired,
  registrationHistory,
  registrations,
  secretIdOf,
  type RegistrationRow,
} from '#db/schema/index.ts';
import { AppError, invalid, parse } from '#server/common/errors.schema.ts';
import { withRetry } from '#server/common/with-retry.ts';
import type { ServiceContext } from '#server/context.ts';
import { lockNode, newSecretId, requireUnrevoked } from '#server/identity/index.ts';
import {
  exactLabel,
  publishableLabel,
  requireUnreservedNodeId,
  shownRegion,
} from '#server/mesh/index.ts';
import { whyRefused } from '#server/names/index.ts';
import { limitProvedOfNode, type NewRegistrations } from './open-registrations.ts';
import { isNodeProved, isReviewedKey } from './proof.ts';
import { presentRegistration, type RegistrationContext } from './record.ts';
import { claimName, holderOf, nameTaken } from './state-machine.ts';

/** The label that a registration gets; the name, if it is left empty. @throws AppError `invalid_body` */
export const labelOrName = ({ label = '', name }: Pick<Start, 'label' | 'name'>): string =>
  label.trim() === '' ? name : exactLabel(label);

export interface StartOptions {
  idempotencyKey?: string | undefined;
  client?: string | undefined;
  /** The origin of this service, as its users know it; a proof has to name it. */
  network?: string | null;
}

/**
 * Starts a registration. A label, class or region that is left out is that of the node’s heartbeats. It reserves its name until the operator confirms the payment or the reservation expires.
 * @param options.idempotencyKey a retry with the same key and body gets the first response
 * @param options.client the keyed hash of the client, whose open registrations are limited unless a key proves them that
 *   a reviewer has pinned; undefined: no limit
 * @throws AppError `name_taken`, `name_reserved`, `reserved_node_id`, `invalid_body` (also for an earlier registration that has not ended), `invalid_state` (the key was
 *   used with another body), `signature_invalid`, `rate_limited` (too many open registrations), `unavailable`
 */
export async function start(
  context: RegistrationContext,
  input: Start,
  options: StartOptions = {},
): Promise<RegistrationRecord> {
  const { idempotencyKey, client, network = null } = options;
  const now = context.clock();
  if (idempotencyKey !== undefined)
    parse(StartHeaders, { 'Idempotency-Key': idempotencyKey }, 'invalid_body');
  requireUnreservedNodeId(input.nodeId);
  const details = { ...nodeDetails(context, input.nodeId), ...given(input) };
  const label = labelOrName({ label: details.label, name: input.name });
  const proofKey = input.proof
    ? await context.identity.verifyProof(
        input.proof,
        { network, action: 'start', name: input.name, nodeId: input.nodeId },
        idempotencyKey,
      )
    : null;
  const at = new Date(now);
  // Created before the transaction: a retry after a lost commit response finds its own id.
  const id = newSecretId();

  const asked = { nodeId: input.nodeId, proofKey };
  const allowance = context.newRegistrations.one({
    client: isReviewedKey(context, asked) ? undefined : client,
    nodeId: isNodeProved(context, asked) ? input.nodeId : undefined,
  });
  for (let attempt = 0; ; attempt++) {
    const row: RegistrationRow = {
      id,
      name: input.name,
      label,
      class: details.class ?? 'S',
      region: details.region ?? UNKNOWN_REGION,
      nodeId: input.nodeId,
      kinds: input.kinds,
      status: 'pending_payment',
      paymentNote: newPaymentNote(input.name),
      feeCents: context.config.feeCents,
      cashConfirm: null,
      createdAt: at,
      updatedAt: at,
      expiresAt: new Date(now + context.config.holdMs),
      confirmedAt: null,
      activatedAt: null,
      decidedAt: null,
      decidedBy: null,
      rejectionReason: null,
      rev: 1,
      proofKey,
      secretId: null,
      earlierId: null,
    };
    try {
      return await withRetry(() =>
        insertRegistration(context, row, input, { idempotencyKey, client, now, allowance }),
      );
    } catch (error) {
      context.clientRegistrations.delete(id);
      allowance.putBack();
      // 23505: the payment note is in use, a chance of one in a hundred million. Try another one.
      if (databaseCode(error) !== '23505' || attempt >= 3) throw error;
    }
  }
}

/** A note that no other registration has, but for a chance of one in a hundred million. */
function newPaymentNote(name: string): string {
  const suffix = Array.from(
    { length: NOTE_SUFFIX_LENGTH },
    () => NOTE_ALPHABET[randomInt(NOTE_ALPHABET.length)],
  );
  return `MESH-${name}-${suffix.join('')}`;
}

type Details = Pick<Start, 'label' | 'class' | 'region'>;

/** Without what was left out. */
const given = ({ label, class: size, region }: Details): Details => ({
  ...(label !== undefined && { label }),
  ...(size !== undefined && { class: size }),
  ...(region !== undefined && { region }),
});

/** What the heartbeats of a node say. A node without a label is shown with its id: that is no label. */
function nodeDetails({ live, config }: ServiceContext, nodeId: string): Details {
  const peer = live.peers.get(nodeId);
  if (!peer || !live.nodes.isShown(nodeId)) return {};
  const { label, class: size } = peer;
  return given({
    // One that was stored before a rule was made doesn't fit it.
    label: label === nodeId ? undefined : (publishableLabel(label ?? undefined) ?? undefined),
    class: size ?? undefined,
    region: shownRegion(peer, config.coordinateGrid),
  });
}

interface Starting {
  now: number;
  allowance: ReturnType<NewRegistrations['one']>;
}

async function insertRegistration(
  context: RegistrationContext,
  row: RegistrationRow,
  input: Start,
  { idempotencyKey, client, now, allowance }: StartOptions & Starting,
): Promise<RegistrationRecord> {
  const response = presentRegistration(context, row);
  const { known, changed } = await context.db.transaction(async (tx) => {
    if (row.proofKey !== null) {
      await lockNode(tx, row.nodeId);
      await requireUnrevoked(tx, row.nodeId, row.proofKey);
    }
    if (idempotencyKey !== undefined) {
      const known = await firstResponse(tx, idempotencyKey, input, response, now);
      if (known) return { known, changed: [] };
    }
    const earlierId =
      input.earlierId === undefined ? null : await endedRegistration(tx, input.earlierId, now);
    const why = await whyRefused(tx, row.name, now);
    if (why === 'reserved')
      throw new AppError(
        'name_reserved',
        `The name "${row.name}" is reserved. Choose another name.`,
        { issues: [{ path: 'name', message: 'is reserved' }] },
      );
    if (why === 'taken') {
      const holder = await holderOf(tx, row.name);
      // Our own: the last attempt was committed, only the response was lost.
      if (holder?.id === row.id)
        return { known: presentRegistration(context, holder), changed: [holder] };
      throw nameTaken(row.name);
    }
    allowance.take();
    const proved = isNodeProved(context, row);
    if (proved) await limitProvedOfNode(tx, context, row, now);
    if (client !== undefined && !isReviewedKey(context, row))
      context.clientRegistrations.add(client, row, proved, now);
    const expired = await claimName(tx, context, row, now);
    const [inserted] = await tx
      .insert(registrations)
      .values({ ...row, earlierId, writtenBy: context.serverId })
      .returning();
    if (!inserted) throw new Error('an insert returned no row');
    await tx.insert(registrationHistory).values({
      registrationId: row.id,
      rev: row.rev,
      at: row.createdAt,
      actor: OPERATOR,
      fromStatus: null,
      toStatus: row.status,
      reason: row.proofKey === null ? null : PROVED_REASON,
    });
    await context.live.record(tx, 'registrations', [inserted]);
    return { known: null, changed: [...expired, inserted] };
  });
  context.live.registrations.apply(changed);
  return known ?? response;
}

/**
 * The registration that has this secret, which must have ended.
 * @throws AppError `invalid_body`
 */
async function endedRegistration(tx: Db, secret: string, now: number): Promise<string> {
  const [found] = REGISTRATION_ID_PATTERN.test(secret)
    ? await tx.select().from(registrations).where(hasSecretId(secret))
    : [];
  if (found && (found.status === 'rejected' || isExpired(found, now))) return found.id;
  throw invalid('invalid_body', [
    { path: 'earlierId', message: 'must be the id of a registration that has ended' },
  ]);
}

/* A start that is sent again with the same Idempotency-Key gets the first response. */

/** How long the first response is kept, milliseconds. */
export const IDEMPOTENCY_MS = 24 * 3_600_000;

const hash = (text: string) => createHash('sha256').update(text).digest('base64url');

/** What is left out is the same body as its default. */
const bodyHashOf = ({
  action,
  name,
  label,
  class: size = 'S',
  region = UNKNOWN_REGION,
  nodeId,
  kinds,
  earlierId,
}: Start) =>
  hash(JSON.stringify({ action, name, label, class: size, region, nodeId, kinds, earlierId }));

/**
 * The response that this key got before; null, after storing `response` for the next time, if the key is new.
 * @throws AppError `invalid_state` (the key was used with another body)
 */
async function firstResponse(
  tx: Db,
  key: string,
  input: Start,
  response: RegistrationRecord,
  now: number,
): Promise<RegistrationRecord | null> {
  const keyHash = hash(key);
  const bodyHash = bodyHashOf(input);
  await tx
    .delete(idempotencyKeys)
    .where(
      and(
        eq(idempotencyKeys.keyHash, keyHash),
        lte(idempotencyKeys.createdAt, new Date(now - IDEMPOTENCY_MS)),
      ),
    );
  // A second request with the same key waits here until the transaction of the first has ended.
  const inserted = await tx
    .insert(idempotencyKeys)
    .values({
      keyHash,
      bodyHash,
      registrationId: response.id,
      answer: JSON.stringify(response),
      createdAt: new Date(now),
    })
    .onConflictDoNothing()
    .returning({ keyHash: idempotencyKeys.keyHash });
  if (inserted.length > 0) return null;
  const [known] = await tx
    .select()
    .from(idempotencyKeys)
    .where(eq(idempotencyKeys.keyHash, keyHash));
  if (known && known.bodyHash !== bodyHash)
    throw new AppError(
      'invalid_state',
      'This Idempotency-Key was used with another body. Use a new key for a new registration.',
      { issues: [{ path: 'Idempotency-Key', message: 'was used with another body' }] },
    );
  return known ? (JSON.parse(known.answer) as RegistrationRecord) : null;
}

/**
 * The outcome of a start with this key: the id of its registration; `other` if it had another body; null if
 * there was none in the last day. Changes nothing. A body that names no earlier registration is also that of a start
 * that did: the address of a page can't name it, because its id is a secret.
 * @throws AppError `unavailable`
 */
export async function startedWith(
  context: RegistrationContext,
  idempotencyKey: string,
  input: Start,
  now = context.clock(),
): Promise<{ id: string } | 'other' | null> {
  const earlier = alias(registrations, 'earlier');
  const [known] = await withRetry(() =>
    context.db
      .select({ id: idempotencyKeys.registrationId, bodyHash: idempotencyKeys.bodyHash, earlier })
      .from(idempotencyKeys)
      .leftJoin(registrations, eq(registrations.id, idempotencyKeys.registrationId))
      .leftJoin(earlier, eq(earlier.id, registrations.earlierId))
      .where(
        and(
          eq(idempotencyKeys.keyHash, hash(idempotencyKey)),
          gt(idempotencyKeys.createdAt, new Date(now - IDEMPOTENCY_MS)),
        ),
      ),
  );
  if (!known) return null;
  const earlierId = input.earlierId ?? (known.earlier ? secretIdOf(known.earlier) : undefined);
  const same = [input, { ...input, earlierId }].some((body) => known.bodyHash === bodyHashOf(body));
  return same ? { id: known.id } : 'other';
}
