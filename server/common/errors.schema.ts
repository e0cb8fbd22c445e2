import { z } from 'zod';
import { describeIssues, Issue, issuesOf } from '@mesh-registry/protocol/rest/issues.schema.ts';

/** Every error code, with its HTTP status, for REST and tRPC alike. */
export const ERROR_STATUS = {
  invalid_request: 400,
  invalid_json: 400,
  invalid_body: 400,
  invalid_query: 400,
  reserved_node_id: 400,
  unauthorized: 401,
  signature_invalid: 401,
  signature_required: 401,
  forbidden: 403,
  blocked: 403,
  not_found: 404,
  method_not_allowed: 405,
  name_taken: 409,
  name_reserved: 409,
  invalid_state: 409,
  already_decided: 409,
  payload_too_large: 413,
  unsupported_media_type: 415,
  rate_limited: 429,
  /** The client has gone before its request was whole. Nobody gets it; the status is that of nginx. */
  client_closed: 499,
  internal: 500,
  unavailable: 503,
  storage_full: 503,
} as const satisfies Record<string, number>;

export type ErrorCode = keyof typeof ERROR_STATUS;
/** Those that a client can get. */
export const ERROR_CODES = Object.keys(ERROR_STATUS).filter(
  (code) => code !== 'client_closed',
) as Exclude<ErrorCode, 'client_closed'>[];

export const ErrorBody = z
  .object({
    ok: z.literal(false),
    code: z.enum(ERROR_CODES),
    error: z.string().meta({ description: 'One plain sentence that says what to change.' }),
    issues: z.array(Issue).optional().meta({ description: 'Only for invalid fields.' }),
    requestId: z.string().meta({ description: 'Also in the x-request-id header.' }),
  })
  .meta({ id: 'Error' });
export type ErrorBody = z.infer<typeof ErrorBody>;

/**
 * An error that a client may see: a code and one plain sentence. Test for it with {@link isAppError}, never
 * with `instanceof`: routes and the server are two module graphs, so this class can exist twice.
 */
export class AppError extends Error {
  override readonly name = 'AppError';
  readonly code: ErrorCode;
  readonly issues: Issue[] | undefined;
  /** Seconds, for 429 and 503. */
  readonly retryAfter: number | undefined;
  /** Counted, and logged at debug only: a crowd would have a line written each. */
  readonly quiet: boolean;

  constructor(
    code: ErrorCode,
    message: string,
    details: { issues?: Issue[]; retryAfter?: number; quiet?: boolean; cause?: unknown } = {},
  ) {
    super(message, { cause: details.cause });
    this.code = code;
    this.issues = details.issues;
    this.retryAfter = details.retryAfter;
    this.quiet = details.quiet ?? false;
  }
}

export function isAppError(error: unknown): error is AppError {
  return error instanceof Error && error.name === 'AppError' && 'code' in error;
}

/** The error that a client gets: an AppError unchanged, anything else as `internal`, without its message. */
export function toAppError(error: unknown): AppError {
  return isAppError(error)
    ? error
    : new AppError(
        'internal',
        'Something went wrong on our side. Try again; if the problem persists, report the request id.',
        { cause: error },
      );
}

export function errorBody(error: AppError, requestId: string): ErrorBody {
  return {
    ok: false,
    code: error.code as ErrorBody['code'],
    error: error.message,
    ...(error.issues?.length ? { issues: error.issues } : {}),
    requestId,
  };
}

/** Parses `input`. @throws AppError `code`, with one issue for each invalid field */
export function parse<Schema extends z.ZodType>(
  schema: Schema,
  input: unknown,
  code: 'invalid_body' | 'invalid_query',
): z.output<Schema> {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  throw invalid(code, issuesOf(result.error, input));
}

/** An error whose sentence names the fields at fault. */
export const invalid = (code: 'invalid_body' | 'invalid_query', issues: Issue[]): AppError =>
  new AppError(code, describeIssues(issues, code === 'invalid_body' ? 'The body' : 'The query'), {
    issues,
  });
