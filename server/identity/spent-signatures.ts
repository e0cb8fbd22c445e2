import { hash, randomUUID } from 'node:crypto';
import { lt, sql } from 'drizzle-orm';
import { SIGNATURE_MAX_SKEW_S } from '@mesh-registry/protocol/keys/node-key.schema.ts';
import { spentSignatures } from '#db/schema/index.ts';
import type { Expired } from '#server/common/rooms.ts';
import { withRetry } from '#server/common/with-retry.ts';
import type { RequestSigner, ServiceContext } from '#server/context.ts';
import type { Freshness } from './freshness.ts';

/** How long a signature is remembered, milliseconds: it is accepted for twice the skew at most. */
const KEEP_MS = 3 * SIGNATURE_MAX_SKEW_S * 1000;

/** The signatures that nobody could use again. */
export const expiredSignatures: Expired = [
  spentSignatures,
  (now) => lt(spentSignatures.spentAt, new Date(now - KEEP_MS)),
];

const digest = (...parts: string[]) => hash('sha256', parts.join(' '), 'base64url').slice(0, 22);

/**
 * Counts a signature of a claim, a removal, a rotation or a proof as used, at all servers and over restarts. Call it once
 * the signature is verified: nobody else may use up the nonces of a key. Each takes a row of the database for a quarter of
 * an hour, and no memory: what one client can leave there is bounded by its rate limits, and nothing is shared that could be
 * full for others.
 * @param request what it was used for; used again for the same, it is a retry
 * @throws AppError `signature_invalid` (it was used before, or signed before this server started), `unavailable`
 */
export async function spendSignature(
  { db, clock }: Pick<ServiceContext, 'db' | 'clock'>,
  freshness: Freshness,
  { key, created, nonce }: RequestSigner,
  request?: string,
): Promise<void> {
  freshness.requireSinceStart(created);
  const id = digest(key, nonce);
  // A commit whose answer was lost is repeated, and is the same use.
  const use = request === undefined ? randomUUID() : digest(id, request);
  const stored = await withRetry(() =>
    db
      .insert(spentSignatures)
      .values({ id, use, spentAt: new Date(clock()) })
      .onConflictDoUpdate({
        target: spentSignatures.id,
        set: { use: sql`excluded.use` },
        setWhere: sql`${spentSignatures.use} = excluded.use`,
      })
      .returning({ id: spentSignatures.id }),
  );
  if (stored.length === 0)
    throw freshness.refusal(
      'replayed',
      'This nonce was used before. Sign each request anew, with a random nonce.',
    );
  freshness.accept();
}
