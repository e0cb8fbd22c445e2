import {
  ChangePassword,
  Code,
  Invite,
  JoinWithToken,
  OfAccount,
  Rename,
  SessionId,
  SetRole,
  SignIn,
  Token,
  WithPassword,
} from '#server/accounts/accounts.schema.ts';
import { joinLink } from '#server/accounts/index.ts';
import type { ProcedureContext } from '../procedure-context.ts';
import { administratorProcedure, publicProcedure, reviewerProcedure, router } from './init.ts';

/**
 * Accounts, links and sessions. Cookies go into the response by `ctx.cookies`, never into an answer that scripts
 * can read. What checks a password or a code is counted by the rate limits.
 */

/** For people who are not signed in yet; mutations only from our own pages. */
const pageProcedure = publicProcedure.use(({ ctx, type, next }) => {
  if (type === 'mutation') ctx.requireSameOrigin();
  return next();
});

/** What finds a link in the database is also counted by the rate limits. */
const linkProcedure = pageProcedure.use(async ({ ctx, next }) => {
  ctx.limits.countLookup(ctx.client());
  return next();
});

/** Counts wrong passwords. @param email as it was sent @throws AppError `rate_limited`, and what `check` throws */
const countWrong = <T>(
  ctx: Pick<ProcedureContext, 'client' | 'request' | 'limits' | 'services'>,
  email: string,
  check: () => Promise<T>,
) =>
  ctx.limits.password(
    {
      client: ctx.client(),
      email,
      browser: ctx.services.accounts.knownBrowser(ctx.request.headers, email),
    },
    check,
  );

const ownRouter = router({
  get: reviewerProcedure.query(({ ctx: { reviewer } }) => {
    const { name, email, role, twoFactorEnabled } = reviewer;
    return { name, email, role, twoFactorEnabled };
  }),
  rename: reviewerProcedure
    .input(Rename)
    .mutation(({ ctx, input }) => ctx.services.accounts.rename(ctx.reviewer, input)),
  /** Ends every other session. */
  changePassword: reviewerProcedure
    .input(ChangePassword)
    .mutation(({ ctx, input }) =>
      countWrong(ctx, ctx.reviewer.email, () =>
        ctx.services.accounts.changePassword(ctx.reviewer, input),
      ),
    ),

  sessions: reviewerProcedure.query(({ ctx }) => ctx.services.accounts.sessions(ctx.reviewer)),
  endSession: reviewerProcedure
    .input(SessionId)
    .mutation(({ ctx, input }) => ctx.services.accounts.endSession(ctx.reviewer, input.id)),
  endOtherSessions: reviewerProcedure.mutation(({ ctx }) =>
    ctx.services.accounts.endOtherSessions(ctx.reviewer),
  ),

  /** Returns the `otpauth:` address for an authenticator app; a first code then turns the factor on. */
  beginSecondFactor: reviewerProcedure
    .input(WithPassword)
    .mutation(({ ctx, input }) =>
      countWrong(ctx, ctx.reviewer.email, () =>
        ctx.services.accounts.beginSecondFactor(ctx.reviewer, input.password, ctx.request.headers),
      ),
    ),
  /** Returns the recovery codes, which are not shown again. */
  confirmSecondFactor: reviewerProcedure.input(Code).mutation(async ({ ctx, input }) => {
    const { cookies, recoveryCodes } = await ctx.limits.code(ctx.client(), () =>
      ctx.services.accounts.confirmSecondFactor(ctx.reviewer, input.code, ctx.request.headers),
    );
    ctx.cookies.push(...cookies);
    return { recoveryCodes };
  }),
  newRecoveryCodes: reviewerProcedure.input(WithPassword).mutation(async ({ ctx, input }) => ({
    recoveryCodes: await countWrong(ctx, ctx.reviewer.email, () =>
      ctx.services.accounts.newRecoveryCodes(input.password, ctx.request.headers),
    ),
  })),
  endSecondFactor: reviewerProcedure.input(WithPassword).mutation(async ({ ctx, input }) => {
    const cookies = await countWrong(ctx, ctx.reviewer.email, () =>
      ctx.services.accounts.endSecondFactor(input.password, ctx.request.headers),
    );
    ctx.cookies.push(...cookies);
  }),
});

export const accountsRouter = router({
  list: administratorProcedure.query(({ ctx }) => ctx.services.accounts.list()),
  /** Names of the reviewers by email address, for every reviewer. */
  names: reviewerProcedure.query(({ ctx }) => ctx.services.accounts.names()),
  /** Returns the link, which is stored nowhere. */
  invite: administratorProcedure.input(Invite).mutation(async ({ ctx, input }) => {
    const token = await ctx.services.accounts.invite(ctx.reviewer.email, input);
    return { email: input.email, token, url: joinLink(ctx.origin(), token) };
  }),
  /** Makes a link like that of `invite`, for somebody who has lost a password or a second factor. */
  renewAccess: administratorProcedure.input(OfAccount).mutation(async ({ ctx, input }) => {
    const token = await ctx.services.accounts.renewAccess(ctx.reviewer.email, input.email);
    return { email: input.email, token, url: joinLink(ctx.origin(), token) };
  }),
  withdraw: administratorProcedure
    .input(OfAccount)
    .mutation(({ ctx, input }) =>
      ctx.services.accounts.withdraw({ actor: ctx.reviewer.email, ...input }),
    ),
  setRole: administratorProcedure
    .input(SetRole)
    .mutation(({ ctx, input }) =>
      ctx.services.accounts.setRole({ actor: ctx.reviewer.email, ...input }),
    ),
  deactivate: administratorProcedure
    .input(OfAccount)
    .mutation(({ ctx, input }) =>
      ctx.services.accounts.deactivate({ actor: ctx.reviewer.email, ...input }),
    ),
  reactivate: administratorProcedure
    .input(OfAccount)
    .mutation(({ ctx, input }) =>
      ctx.services.accounts.reactivate({ actor: ctx.reviewer.email, ...input }),
    ),
  own: ownRouter,
});

/** Signing in and out, for everybody. */
export const sessionRouter = router({
  signIn: pageProcedure.input(SignIn).mutation(async ({ ctx, input }) => {
    const { cookies, secondFactor } = await countWrong(ctx, input.email, () =>
      ctx.services.accounts.signIn(input, ctx.request.headers),
    );
    ctx.cookies.push(...cookies);
    return { secondFactor };
  }),
  /** Whether this browser has given the password and still has to give a code. */
  awaitsSecondFactor: pageProcedure.query(({ ctx }) =>
    ctx.services.accounts.awaitsSecondFactor(ctx.request.headers),
  ),
  secondFactor: pageProcedure.input(Code).mutation(async ({ ctx, input }) => {
    const { cookies } = await ctx.limits.code(ctx.client(), () =>
      ctx.services.accounts.secondFactor(input.code, ctx.request.headers),
    );
    ctx.cookies.push(...cookies);
  }),
  signOut: pageProcedure.mutation(async ({ ctx }) => {
    ctx.cookies.push(...(await ctx.services.accounts.signOut(ctx.request.headers)));
  }),
});

/** The link that creates an account or renews the access to one. Having it is enough to use it. */
export const joinRouter = router({
  /** What the link is for; null if it is wrong, used, withdrawn or expired. */
  get: linkProcedure
    .input(Token)
    .query(({ ctx, input }) => ctx.services.accounts.invitation(input.token)),
  /** Uses the link and signs in. */
  accept: linkProcedure.input(JoinWithToken).mutation(async ({ ctx, input }) => {
    const { token, ...account } = input;
    const email = await ctx.services.accounts.join(token, account);
    const { password } = account;
    const { cookies } = await ctx.services.accounts.signIn(
      { email, password },
      ctx.request.headers,
    );
    ctx.cookies.push(...cookies);
  }),
});
