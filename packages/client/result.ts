import type { Error as ErrorBody, Issue } from './schemas.ts';

/** Why a call failed, as a value: nothing here is thrown. */
export type Problem =
  | {
      /** The service answered with an error of its own. */
      kind: 'refused';
      /** HTTP status. */
      status: number;
      code: ErrorBody['code'];
      /** One plain sentence that says what to change. */
      message: string;
      /** The fields at fault, where fields are. */
      issues: readonly Issue[];
      /** What the service’s log knows the request by. */
      requestId: string;
      /** From `Retry-After`, milliseconds; null where there is none. */
      retryAfterMs: number | null;
    }
  | {
      /** An answer that no Mesh Registry gives: a proxy’s error page, a redirect, another service. */
      kind: 'unexpected';
      status: number;
      message: string;
      retryAfterMs: number | null;
    }
  | {
      /** No answer: no network, no such host, nothing listens there, an invalid certificate, or a lost connection. */
      kind: 'unreachable';
      message: string;
      /** What `fetch` threw. */
      cause: unknown;
    }
  | { kind: 'timeout'; message: string }
  | { kind: 'aborted'; message: string };

export interface Success<Value> {
  ok: true;
  value: Value;
  /** HTTP status: 201 for what is new. */
  status: number;
  /** Of the response. */
  headers: Headers;
}

export interface Failure {
  ok: false;
  problem: Problem;
}

export type Result<Value> = Success<Value> | Failure;

/** The value of a success. For scripts that have nothing better to do with a failure. @throws Error with the problem as its cause */
export function unwrap<Value>(result: Result<Value>): Value {
  if (result.ok) return result.value;
  throw new Error(result.problem.message, { cause: result.problem });
}
