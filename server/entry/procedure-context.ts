import type { Logger } from 'pino';
import type { z } from 'zod';
import type { RegistrationRecord } from '@mesh-registry/protocol/rest/register.schema.ts';
import type { ReviewerRole } from '@mesh-registry/protocol/values.schema.ts';
import type { AppError } from '#server/common/errors.schema.ts';
import type { Answer, AnswerWith, EventFrame } from '#server/live/index.ts';
import type { Reviewer } from '#server/accounts/index.ts';
import type { EndpointRequest } from '#server/http/endpoint-request.ts';
import type { Services } from '#server/services.ts';
import type { Metrics } from './metrics.ts';
import type { RateLimits } from './rate-limits.ts';

/** What stays the same for all requests to one server. */
export interface ServerContext {
  readonly services: Services;
  readonly limits: RateLimits;
  readonly metrics: Metrics;
  readonly log: Logger;
  /** The OpenAPI document, for a service reached at this origin. */
  readonly openapi: (origin: string) => AnswerWith<Buffer>;
}

/** What a context needs of its request. */
export type RequestSource = Pick<EndpointRequest, 'url' | 'headers' | 'header'>;

/** The context of every procedure. */
export interface ProcedureContext extends ServerContext {
  readonly requestId: string;
  /** Only signing in looks here, for cookies and the browser's name. */
  readonly request: RequestSource;
  /** `Set-Cookie` lines that are added to the response, whatever it is. */
  readonly cookies: string[];
  /** The keyed hash of the client's address, computed only when a limit needs it. */
  readonly client: () => string;
  /** Scheme and host under which the service is reached. */
  readonly origin: () => string;
  /** A registration with the address of its page. */
  readonly withPage: <Record extends RegistrationRecord>(
    registration: Record,
  ) => Record & { pageUrl: string };
  /** Scheme, host and port that signatures and proofs of nodes have to name: see {@link ownOrigin}. */
  readonly network: () => string | null;
  /** The signed-in reviewer, by the session cookie; null for everybody else. Read from the database once per request. */
  readonly reviewer: () => Promise<Reviewer | null>;
  /** @throws AppError `unauthorized` (nobody is signed in), `forbidden` (signed in without this role) */
  readonly requireReviewer: (role?: ReviewerRole) => Promise<Reviewer>;
  /** Call before changing anything for a browser: the request must come from one of our pages. @throws AppError `forbidden` */
  readonly requireSameOrigin: () => void;
  /** The error that was sent, for the log line. */
  error?: AppError;
}

/**
 * Procedures whose bytes exist already, because REST or other streams send them too. Over HTTP these bytes are sent as
 * they are (server/entry/trpc/handler.ts). The procedures give the typed client its types, and answer calls within the process.
 */
export interface SharedBytes {
  input: z.ZodType;
  /** A method, so that its parameter may be narrower: it gets what `input` has parsed. */
  answer?(services: Services, input: unknown): Answer | Promise<Answer>;
  /** A method for the same reason. */
  events?(
    services: Services,
    input: unknown,
    signal: AbortSignal,
  ): AsyncIterable<EventFrame<unknown, unknown>>;
}
