import { initTRPC, TRPCError } from '@trpc/server';
import type { TRPC_ERROR_CODE_KEY } from '@trpc/server/rpc';
import { z, ZodError } from 'zod';
import { issuesOf } from '@mesh-registry/protocol/rest/issues.schema.ts';
import {
  AppError,
  ERROR_STATUS,
  errorBody,
  invalid,
  isAppError,
  toAppError,
} from '#server/common/errors.schema.ts';
import { OBJECT, text } from '#server/common/input.schema.ts';
import type { Services } from '#server/services.ts';
import type { ProcedureContext, SharedBytes } from '../procedure-context.ts';

/** tRPC's own codes, by HTTP status. A tRPC client gets both codes, ours in `data`. */
const TRPC_CODE: Record<number, TRPC_ERROR_CODE_KEY> = {
  400: 'BAD_REQUEST',
  401: 'UNAUTHORIZED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  405: 'METHOD_NOT_SUPPORTED',
  409: 'CONFLICT',
  413: 'PAYLOAD_TOO_LARGE',
  415: 'UNSUPPORTED_MEDIA_TYPE',
  429: 'TOO_MANY_REQUESTS',
  500: 'INTERNAL_SERVER_ERROR',
  503: 'SERVICE_UNAVAILABLE',
};

/** An error in tRPC's words. */
export const toTrpcError = (cause: AppError): TRPCError =>
  new TRPCError({
    code: TRPC_CODE[ERROR_STATUS[cause.code]] ?? 'INTERNAL_SERVER_ERROR',
    message: cause.message,
    cause,
  });

/** The AppError that a client gets for any error of tRPC. Other messages never reach a client. */
function appErrorOf(error: TRPCError): AppError {
  if (isAppError(error.cause)) return error.cause;
  switch (error.code) {
    case 'NOT_FOUND':
      return new AppError('not_found', 'There is no procedure with this name.');
    case 'METHOD_NOT_SUPPORTED':
      return new AppError(
        'method_not_allowed',
        'Use GET for queries and subscriptions, POST for mutations.',
      );
    case 'UNSUPPORTED_MEDIA_TYPE':
      return new AppError('unsupported_media_type', 'Send the input as application/json.');
    case 'PARSE_ERROR':
      return new AppError('invalid_json', 'The input is not valid JSON.');
    case 'BAD_REQUEST':
      return new AppError('invalid_body', 'This is not a valid tRPC request.');
    default:
      return toAppError(error.cause);
  }
}

/** The context of an error's request: tRPC itself knows it only once it has found a procedure. */
export const contextOfError = new WeakMap<TRPCError, ProcedureContext>();

/** What the HTTP handler reads of a procedure. */
interface ProcedureMeta {
  shared?: SharedBytes;
}

/** Event streams: a sign of life keeps proxies from closing a silent connection, and lets clients notice a dead one. */
export const STREAM_PING_MS = 15_000;
export const STREAM_CLIENT = { reconnectAfterInactivityMs: 40_000 };

const trpc = initTRPC
  .context<ProcedureContext>()
  .meta<ProcedureMeta>()
  .create({
    errorFormatter({ shape, error, ctx = contextOfError.get(error) }) {
      const known = appErrorOf(error);
      if (ctx) ctx.error = known;
      return {
        ...shape,
        message: known.message,
        data: {
          ...errorBody(known, ctx?.requestId ?? ''),
          httpStatus: ERROR_STATUS[known.code],
        },
      };
    },
    sse: {
      ping: { enabled: true, intervalMs: STREAM_PING_MS },
      client: STREAM_CLIENT,
    },
  });

/**
 * Gives every known error tRPC's matching code, with the AppError as its cause: the HTTP status is then right,
 * and the caller can pass the AppError on. `next()` never rejects, so its result is inspected.
 */
const errors = trpc.middleware(async ({ next, getRawInput }) => {
  const result = await next();
  if (result.ok) return result;
  const { error } = result;
  const isInputError = error.code === 'BAD_REQUEST' && error.cause instanceof ZodError;
  const cause = isInputError
    ? invalid('invalid_body', issuesOf(error.cause, await getRawInput()))
    : error.cause;
  if (!isAppError(cause)) return result;
  throw toTrpcError(cause);
});

export const { createCallerFactory, router } = trpc;
export const publicProcedure = trpc.procedure.use(errors);

/** Reads that ask the database are counted by the rate limits. */
export const lookupProcedure = publicProcedure.use(async ({ ctx, next }) => {
  ctx.limits.countLookup(ctx.client());
  return next();
});

/** For signed-in reviewers; mutations only from our own pages. */
export const reviewerProcedure = publicProcedure.use(async ({ ctx, type, next }) => {
  if (type === 'mutation') ctx.requireSameOrigin();
  return next({ ctx: { reviewer: await ctx.requireReviewer() } });
});

/** What a reviewer sends, with the address of the reviewer: who acts comes from the session, never from the input. */
type FromReviewer<Input extends z.ZodType> = z.output<Input> & { reviewer: string };

/** A query that answers a reviewer. */
export const reviewerQuery = <Input extends z.ZodType<object>, Output>(
  input: Input,
  answer: (services: Services, input: FromReviewer<Input>) => Output,
) =>
  reviewerProcedure.input(input).query(({ ctx, input }) => {
    const sent = input as z.output<Input>;
    return answer(ctx.services, { ...sent, reviewer: ctx.reviewer.email });
  });

/** A mutation by a reviewer. */
export const reviewerMutation = <Input extends z.ZodType<object>, Output>(
  input: Input,
  act: (services: Services, input: FromReviewer<Input>) => Output,
) =>
  reviewerProcedure.input(input).mutation(({ ctx, input }) => {
    const sent = input as z.output<Input>;
    return act(ctx.services, { ...sent, reviewer: ctx.reviewer.email });
  });

export const administratorProcedure = publicProcedure.use(async ({ ctx, type, next }) => {
  if (type === 'mutation') ctx.requireSameOrigin();
  return next({ ctx: { reviewer: await ctx.requireReviewer('administrator') } });
});

/** Where a stream resumes. EventSource sends the id of the last event by itself after a lost connection. */
export const Resume = z.object({ lastEventId: text(200).optional() }, OBJECT).optional();

/** The signal of a subscription that has none of its own: it never aborts. */
export const NEVER = new AbortController().signal;
