import { AnswerTooLong, mapTexts } from './answer.ts';
import type { Problem } from './result.ts';
import type { Error as ErrorBody } from './schemas.ts';

/** As much of a foreign answer as helps to recognise it. */
const SHOWN = 200;

type Clean = ((text: string) => string) | undefined;

const cleaned = (text: string, clean: Clean): string => (clean ? clean(text) : text);

/** What an answer that is no success means. */
export function problemOf(status: number, headers: Headers, text: string, clean: Clean): Problem {
  const retryAfterMs = parseRetryAfter(headers.get('retry-after'));
  const body = errorBody(parseObject(text, clean));
  if (!body)
    return {
      kind: 'unexpected',
      status,
      message: cleaned(describeForeign(status, headers, text), clean),
      retryAfterMs,
    };
  const { code, error: message, issues = [], requestId } = body;
  return { kind: 'refused', status, code, message, issues, requestId, retryAfterMs };
}

/** What it means that `fetch`, or reading its answer, threw. It says only “fetch failed”: why is in its cause. */
export function thrown(error: unknown, clean: Clean): Problem {
  if (error instanceof AnswerTooLong)
    return { kind: 'unexpected', status: error.status, message: error.message, retryAfterMs: null };
  const { cause, message } = error as {
    cause?: { code?: string; message?: string };
    message?: string;
  };
  const reason = cleaned(cause?.code ?? cause?.message ?? message ?? String(error), clean);
  return { kind: 'unreachable', message: `The service cannot be reached: ${reason}`, cause: error };
}

/** @returns null if the text is no JSON, neither an object nor a list, or nested too deeply */
export function parseObject(text: string, clean: Clean): object | null {
  try {
    const parsed: unknown = JSON.parse(text);
    const value = clean ? mapTexts(parsed, clean) : parsed;
    return typeof value === 'object' ? value : null;
  } catch {
    return null;
  }
}

/** The error of a REST path, or of the typed API, which wraps the same body. */
function errorBody(body: object | null): ErrorBody | null {
  const { error } = (body ?? {}) as { error?: { data?: unknown } };
  const candidate = (typeof error === 'object' ? error.data : body) as Partial<ErrorBody> | null;
  return candidate?.ok === false &&
    typeof candidate.code === 'string' &&
    typeof candidate.error === 'string'
    ? (candidate as ErrorBody)
    : null;
}

function describeForeign(status: number, headers: Headers, text: string): string {
  // A browser tells nothing of a redirect that it does not follow, not even its status.
  if (status === 0 || (status >= 300 && status < 400)) {
    const to = headers.get('location');
    return `The service redirects${to ? ` to ${to}` : ''}. Use the address that it redirects to.`;
  }
  const start = text.replace(/\s+/g, ' ').trim().slice(0, SHOWN);
  return `Status ${status}, but not from a Mesh Registry${start ? `: ${start}` : '.'}`;
}

/** Seconds, or an HTTP date (RFC 9110, 10.2.3), in milliseconds from now. */
function parseRetryAfter(header: string | null): number | null {
  if (header === null) return null;
  const seconds = Number(header);
  const ms = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(header) - Date.now();
  return Number.isNaN(ms) ? null : Math.max(0, ms);
}
