import type { Logger } from 'pino';
import type { Guard } from './guard.ts';
import type { Answer } from '#server/live/answer-cache.ts';
import type { Metrics } from './metrics.ts';
import type { AppError } from '#server/common/errors.schema.ts';
import type { ReviewerRole } from '#server/common/values.schema.ts';
import type { Services } from '#server/services.ts';
import type { Reviewer } from '#server/accounts/reviewers.ts';

declare module '@remix-run/server-runtime' {
  // Loaders and actions get it as their `context`.
  // eslint-disable-next-line @typescript-eslint/no-empty-object-type
  interface AppLoadContext extends RequestContext {}
}

/**
 * What a route gets beside the request: Remix's load context, and the context of every procedure.
 * Routes and the server are two module graphs; this object is the only thing they share.
 */
export interface RequestContext {
  readonly services: Services;
  readonly guard: Guard;
  readonly metrics: Metrics;
  readonly log: Logger;
  readonly requestId: string;
  /** The keyed hash of the client's address, worked out only when a limit asks. */
  readonly client: () => string;
  /** Scheme and host under which the service is reached. */
  readonly origin: () => string;
  /** Who is signed in, by the session's cookie; null for everybody else. Asked of the database once per request. */
  readonly reviewer: () => Promise<Reviewer | null>;
  /** @throws AppError `unauthorized` (nobody is signed in), `forbidden` (not in this role) */
  readonly requireReviewer: (role?: ReviewerRole) => Promise<Reviewer>;
  /** Before anything is changed for a browser: the request must come from a page of ours. @throws AppError `forbidden` */
  readonly requireSameOrigin: () => void;
  /** The OpenAPI document, for a service reached at this origin. */
  readonly openapi: (origin: string) => Answer;
  /** For the scripts of a page; made only for pages. */
  nonce?: string;
  /** The error that was answered, for the log line. */
  error?: AppError;
}
