import { z } from 'zod';

/**
 * Every error a client can get, and its HTTP status. REST and tRPC answer from this one table.
 * A code that is missing here does not compile.
 */
export const ERROR_STATUS = {
  invalid_json: 400,
  invalid_body: 400,
  invalid_query: 400,
  reserved_node_id: 400,
  unauthorized: 401,
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
  internal: 500,
  unavailable: 503,
} as const satisfies Record<string, number>;

export type ErrorCode = keyof typeof ERROR_STATUS;
export const ERROR_CODES = Object.keys(ERROR_STATUS) as [ErrorCode, ...ErrorCode[]];

export const Issue = z
  .object({
    path: z.string().meta({ description: 'The field at fault.', example: 'computes[3].replicas' }),
    message: z.string().meta({ description: 'What it should be.' }),
  })
  .meta({ id: 'Issue' });
export type Issue = z.infer<typeof Issue>;

export const ErrorBody = z
  .object({
    ok: z.literal(false),
    code: z.enum(ERROR_CODES),
    error: z.string().meta({ description: 'One plain sentence that says what to change.' }),
    issues: z.array(Issue).optional().meta({ description: 'Only where fields are at fault.' }),
    requestId: z.string().meta({ description: 'The same as in the x-request-id header.' }),
  })
  .meta({ id: 'Error' });
export type ErrorBody = z.infer<typeof ErrorBody>;

/**
 * An error that a client may see: its code, and one plain sentence.
 * Routes and the server are two module graphs, so this class may exist twice: never test it with
 * `instanceof`, use {@link isAppError}.
 */
export class AppError extends Error {
  override readonly name = 'AppError';
  readonly code: ErrorCode;
  readonly issues: Issue[] | undefined;
  /** Seconds, for 429 and 503. */
  readonly retryAfter: number | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    details: { issues?: Issue[]; retryAfter?: number; cause?: unknown } = {},
  ) {
    super(message, { cause: details.cause });
    this.code = code;
    this.issues = details.issues;
    this.retryAfter = details.retryAfter;
  }
}

export function isAppError(error: unknown): error is AppError {
  return error instanceof Error && error.name === 'AppError' && 'code' in error;
}

/** What a client is told of an error: an AppError as it is, anything else as `internal` without a word of its message. */
export function toAppError(error: unknown): AppError {
  return isAppError(error)
    ? error
    : new AppError(
        'internal',
        'Something went wrong on our side. Try again; if it stays, report the request id.',
        {
          cause: error,
        },
      );
}

export function errorBody(error: AppError, requestId: string): ErrorBody {
  return {
    ok: false,
    code: error.code,
    error: error.message,
    ...(error.issues?.length ? { issues: error.issues } : {}),
    requestId,
  };
}

/** `['computes', 3, 'replicas']` → `computes[3].replicas`. */
export function issuePath(path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (text, key) =>
      typeof key === 'number'
        ? `${text}[${key}]`
        : text === ''
          ? String(key)
          : `${text}.${String(key)}`,
    '',
  );
}

/** Parses `input`, or throws `code` with one issue per field at fault. */
export function parse<Schema extends z.ZodType>(
  schema: Schema,
  input: unknown,
  code: 'invalid_body' | 'invalid_query',
): z.output<Schema> {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  throw invalid(
    code,
    result.error.issues.map(({ path, message }) => ({ path: issuePath(path), message })),
  );
}

/** An `invalid_body` or `invalid_query` whose sentence names the first field at fault. */
export function invalid(code: 'invalid_body' | 'invalid_query', issues: Issue[]): AppError {
  const first = issues[0];
  const where = code === 'invalid_body' ? 'The body is not valid' : 'The query is not valid';
  const what = first ? `: ${first.path ? `${first.path}: ` : ''}${first.message}` : '';
  const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : '';
  return new AppError(code, `${where}${what}${more}.`, { issues });
}
