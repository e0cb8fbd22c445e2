import { lte } from 'drizzle-orm';
import {
  reviewerInvitations,
  reviewerSessions,
  reviewerUsedCodes,
  reviewerVerifications,
} from '#db/schema/index.ts';
import { keepPrivate } from '#db/connection/private-directory.ts';
import type { Expired } from '#server/common/rooms.ts';
import type { ServiceContext } from '#server/context.ts';
import type { ChangePassword, Invite, Join, Rename } from './accounts.schema.ts';
import {
  authSecret,
  createAuth,
  usesSecureCookies,
  type AccountsContext,
  type Reviewer,
} from './auth.ts';
import { firstLink } from './first-link.ts';
import { invitation, invite, join, renewAccess, withdraw } from './invitations.ts';
import { createKnownBrowsers } from './known-browsers.ts';
import {
  beginSecondFactor,
  changePassword,
  confirmSecondFactor,
  endSecondFactor,
  newRecoveryCodes,
  rename,
} from './own-account.ts';
import type { PasswordHashing } from './passwords.ts';
import { listReviewers, reviewerNames } from './reviewers.ts';
import { deactivate, reactivate, setRole, type AccountChange } from './roles.ts';
import { endOtherSessions, endSession, sessions, signedIn } from './sessions.ts';
import { awaitsSecondFactor, secondFactor, signIn, signOut } from './sign-in.ts';
import { CODE_MS } from './used-codes.ts';

export { accountOf } from './account.ts';
export type { Reviewer } from './auth.ts';
export { describeFirstLink, type FirstLink } from './first-link.ts';
export { anyAdministrator, invite, joinLink, renewAccess, type Invitation } from './invitations.ts';
export type { PasswordHashing } from './passwords.ts';
export { listReviewers, type ListedReviewer, type OpenLink } from './reviewers.ts';
export { sessionHolds, type Session } from './sessions.ts';

/**
 * Reviewers' accounts: signing in, what administrators do, and what reviewers do with their own account. The procedures
 * parse what people enter (accounts.schema.ts): addresses arrive in lower case, passwords are acceptable ones.
 */
export function createAccounts({
  config,
  db,
  log,
  clock,
  passwordHashing,
}: Pick<ServiceContext, 'config' | 'db' | 'log' | 'clock'> & {
  passwordHashing?: PasswordHashing | undefined;
}) {
  const secret = authSecret(config);
  // The embedded database has done so for a directory that it is in.
  if (config.authSecret === undefined && config.databaseUrl !== undefined)
    keepPrivate(config.dataDir, { passable: false }, log);
  const context: AccountsContext = {
    db,
    auth: createAuth({ config, db, log, passwordHashing }),
    browsers: createKnownBrowsers({ secret, secure: usesSecureCookies(config) }),
    clock,
  };
  return {
    expired: [
      [reviewerSessions, (now) => lte(reviewerSessions.expiresAt, new Date(now))],
      [reviewerVerifications, (now) => lte(reviewerVerifications.expiresAt, new Date(now))],
      [reviewerInvitations, (now) => lte(reviewerInvitations.expiresAt, new Date(now))],
      [reviewerUsedCodes, (now) => lte(reviewerUsedCodes.usedAt, new Date(now - CODE_MS))],
    ] satisfies Expired[],
    signedIn: (headers: Headers) => signedIn(context, headers),
    /** The id of a browser that has signed in to this account before, else null. */
    knownBrowser: (headers: Headers, email: string) => context.browsers.find(headers, email),
    signIn: (credentials: { email: string; password: string }, headers: Headers) =>
      signIn(context, credentials, headers),
    secondFactor: (code: string, headers: Headers) => secondFactor(context, code, headers),
    awaitsSecondFactor: (headers: Headers) => awaitsSecondFactor(context, headers),
    signOut: (headers: Headers) => signOut(context, headers),

    firstLink: () => firstLink({ db, clock, secret, alone: config.databaseUrl === undefined }),
    invitation: (token: string) => invitation(context, token),
    join: (token: string, input: Join) => join(context, token, input),

    list: () => listReviewers(context),
    names: () => reviewerNames(context),
    invite: (actor: string, input: Invite) => invite(context, actor, input),
    renewAccess: (actor: string, email: string) => renewAccess(context, actor, email),
    withdraw: (change: AccountChange) => withdraw(context, change),
    setRole: (change: Parameters<typeof setRole>[1]) => setRole(context, change),
    deactivate: (change: AccountChange) => deactivate(context, change),
    reactivate: (change: AccountChange) => reactivate(context, change),

    rename: (own: Reviewer, input: Rename) => rename(context, own, input),
    changePassword: (own: Reviewer, input: ChangePassword) => changePassword(context, own, input),
    beginSecondFactor: (own: Reviewer, password: string, headers: Headers) =>
      beginSecondFactor(context, own, password, headers),
    confirmSecondFactor: (own: Reviewer, code: string, headers: Headers) =>
      confirmSecondFactor(context, own, code, headers),
    newRecoveryCodes: (password: string, headers: Headers) =>
      newRecoveryCodes(context, password, headers),
    endSecondFactor: (password: string, headers: Headers) =>
      endSecondFactor(context, password, headers),

    sessions: (own: Reviewer) => sessions(context, own),
    endSession: (own: Reviewer, id: string) => endSession(context, own, id),
    endOtherSessions: (own: Reviewer) => endOtherSessions(context, own),
  };
}
