import { and, eq, gt, lte } from 'drizzle-orm';
import { createHash } from 'node:crypto';
import type { Db } from '#db/client.ts';
import { idempotencyKeys } from '#db/schema/index.ts';
import type { ServiceContext } from '#server/context.ts';
import { AppError, invalid } from '#server/common/errors.schema.ts';
import { UNKNOWN_REGION } from '@mesh-registry/protocol/values.schema.ts';
import { withRetry } from '#server/common/with-retry.ts';
import type { Registration, Start } from '@mesh-registry/protocol/rest/register.schema.ts';

/** A start that is sent again with the same Idempotency-Key gets the first response. */

/** How long the first response is kept, milliseconds. */
export const IDEMPOTENCY_MS = 24 * 3_600_000;
/** Visible ASCII, the characters that an HTTP header can carry. */
const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/;

/** @throws AppError `invalid_body` */
export function requireIdempotencyKey(key: string): void {
  if (!IDEMPOTENCY_KEY.test(key))
    throw invalid('invalid_body', [
      { path: 'Idempotency-Key', message: 'must be 1 to 255 visible ASCII characters' },
    ]);
}

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
}: Start) => hash(JSON.stringify({ action, name, label, class: size, region, nodeId, kinds }));

/**
 * The response that this key got before; null, after storing `response` for the next time, if the key is new.
 * @throws AppError `invalid_state` (the key was used with another body)
 */
export async function firstResponse(
  tx: Db,
  key: string,
  input: Start,
  response: Registration,
  now: number,
): Promise<Registration | null> {
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
  return known ? (JSON.parse(known.answer) as Registration) : null;
}

/**
 * The outcome of a start with this key: the id of its registration; `other` if it had another body; null if
 * there was none in the last day. Changes nothing.
 * @throws AppError `unavailable`
 */
export async function startedWith(
  context: ServiceContext,
  idempotencyKey: string,
  input: Start,
  now = context.clock(),
): Promise<{ id: string } | 'other' | null> {
  const [known] = await withRetry(() =>
    context.db
      .select({ id: idempotencyKeys.registrationId, bodyHash: idempotencyKeys.bodyHash })
      .from(idempotencyKeys)
      .where(
        and(
          eq(idempotencyKeys.keyHash, hash(idempotencyKey)),
          gt(idempotencyKeys.createdAt, new Date(now - IDEMPOTENCY_MS)),
        ),
      ),
  );
  if (!known) return null;
  return known.bodyHash === bodyHashOf(input) ? { id: known.id } : 'other';
}
