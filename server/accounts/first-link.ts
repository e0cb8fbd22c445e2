import { and, gt, isNull } from 'drizzle-orm';
import { createHmac } from 'node:crypto';
import type { Db } from '#db/client.ts';
import { reviewerInvitations } from '#db/schema/index.ts';
import { SYSTEM } from '@mesh-registry/protocol/values.schema.ts';
import { withRetry } from '#server/common/with-retry.ts';
import { anyAdministrator, deleteLink, hashOf } from './invitations.ts';

/**
 * The link by which the first administrator creates an account, with an address of their own. Every server prints it
 * when it starts, and all servers print the same one: its token is an HMAC of the moment it was created, so a server
 * with the same AUTH_SECRET derives it, and the database alone gives nobody a working link.
 */

/** How long it is valid, milliseconds. Shorter than an invitation: it stays in a terminal's history. */
const FIRST_LINK_MS = 86_400_000;

export interface FirstLink {
  /** Null if a server with another AUTH_SECRET created the link: only that server can print it. */
  token: string | null;
  createdAt: Date;
  expiresAt: Date;
}

export interface FirstLinkContext {
  db: Db;
  clock: () => number;
  /** AUTH_SECRET. */
  secret: string;
  /** No other server uses the database: a link of another secret is left over from an earlier configuration. */
  alone: boolean;
}

/**
 * Finds or creates the link.
 * @returns null if there is an active administrator
 * @throws AppError `unavailable`
 */
export async function firstLink(context: FirstLinkContext): Promise<FirstLink | null> {
  const { db, clock, secret, alone } = context;
  const key = createHmac('sha256', secret).update('first administrator').digest();
  const tokenOf = (createdAt: Date) =>
    createHmac('sha256', key).update(createdAt.toISOString()).digest('base64url');
  return withRetry(() =>
    db.transaction(
      async (tx) => {
        if (await anyAdministrator(tx)) return null;
        const open = await tx
          .select()
          .from(reviewerInvitations)
          .where(
            and(
              isNull(reviewerInvitations.email),
              gt(reviewerInvitations.expiresAt, new Date(clock())),
            ),
          );
        const own = open.find(
          ({ createdAt, tokenHash }) => hashOf(tokenOf(createdAt)) === tokenHash,
        );
        if (own) return { ...own, token: tokenOf(own.createdAt) };
        const [other] = open;
        if (other && !alone) return { ...other, token: null };

        const createdAt = new Date(clock());
        const expiresAt = new Date(createdAt.getTime() + FIRST_LINK_MS);
        const token = tokenOf(createdAt);
        await deleteLink(tx, null);
        const link = { email: null, role: 'administrator', invitedBy: SYSTEM } as const;
        await tx
          .insert(reviewerInvitations)
          .values({ ...link, tokenHash: hashOf(token), createdAt, expiresAt })
          // Two servers in the same millisecond make the same link.
          .onConflictDoNothing();
        return { token, createdAt, expiresAt };
      },
      // Of servers that start at once and find no link, one commits; the others try again and find its link.
      { isolationLevel: 'serializable' },
    ),
  );
}

/** What to tell the person at the console. @param linkOf makes the URL of a token */
export function describeFirstLink(
  { token, createdAt, expiresAt }: FirstLink,
  linkOf: (token: string) => string,
): string[] {
  const until = `until ${utc(expiresAt)}`;
  if (token === null)
    return [
      `There is no administrator yet. A server with another AUTH_SECRET printed a link at ${utc(createdAt)}, valid ${until}.`,
      'Give all servers the same AUTH_SECRET. For a new link: npm run reviewer -- add <email>',
    ];
  return [
    `There is no administrator yet. Create the first one (the link works once, ${until}):`,
    linkOf(token),
  ];
}

/** To the minute: `2026-11-22 14:10 UTC`. */
const utc = (moment: Date) => `${moment.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
