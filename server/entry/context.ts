import { randomUUID } from 'node:crypto';
import type { RegistrationRecord } from '@mesh-registry/protocol/rest/register.schema.ts';
import type { ReviewerRole } from '@mesh-registry/protocol/values.schema.ts';
import type { Config } from '#server/config.ts';
import type { RequestSigner } from '#server/context.ts';
import { AppError } from '#server/common/errors.schema.ts';
import type { SignedKind } from '#server/identity/index.ts';
import type { Reviewer } from '#server/accounts/index.ts';
import { clientAddress, createClientHash } from '#server/http/client-address.ts';
import type { EndpointRequest } from '#server/http/endpoint-request.ts';
import { createCredentialCheck, verifySigner } from './credentials.ts';
import { ownOrigin, type OwnSocket } from './own-origin.ts';
import type { ProcedureContext, RequestSource, ServerContext } from './procedure-context.ts';
import { createApi, type Api } from './trpc/router.ts';

/** What a route gets beside the request. */
export interface RequestContext extends ProcedureContext {
  /** Checks the credential of a node's POST. @throws AppError `unauthorized`, `rate_limited` */
  readonly requireCredential: () => void;
  /**
   * Checks the signature of a heartbeat or an announcement, that it was not sent before, and that it is by the key to which
   * the node id is pinned, if it is. What stores it counts it as used.
   * @param body as it came in
   * @param claim the parsed body, which names the `nodeId` for which it speaks
   * @returns who has signed it; null, at once, if nobody has and nobody has to
   * @throws AppError `signature_invalid`, `signature_required`, `rate_limited`
   */
  readonly reportSigner: (
    kind: SignedKind,
    request: EndpointRequest,
    body: Uint8Array,
    claim: unknown,
  ) => RequestSigner | null | Promise<RequestSigner>;
  /**
   * Checks the signature of any other request of a node, and counts it as used.
   * @param body as it came in; null if there is none
   * @param nodeId the node id for which it speaks, if its pin matters
   * @returns the key that has signed it; null if none has, and none has to
   * @throws AppError `signature_invalid`, `signature_required`, `rate_limited`, `unavailable`
   */
  readonly actionSigner: (
    request: EndpointRequest,
    body: Uint8Array | null,
    nodeId?: string,
  ) => Promise<string | null>;
  /** Checks a request that must be signed, even for a node id that is pinned to no key. */
  readonly requireActionSigner: (
    request: EndpointRequest,
    body: Uint8Array | null,
    nodeId?: string,
  ) => Promise<string>;
  /** Every procedure as a function. Its errors are AppErrors, as the services throw them. */
  readonly api: Api;
}

interface ClientSocket extends OwnSocket {
  readonly remoteAddress?: string | undefined;
}

/** Makes the context of each request. What not every request needs is computed when it is first used. */
export function createRequestContexts(
  server: ServerContext & { config: Config },
): (request: RequestSource, socket: ClientSocket) => RequestContext {
  const { config, services, limits, metrics, log, openapi } = server;
  const hashClient = createClientHash();
  const originOf = createOrigin(config);
  const checkCredential = createCredentialCheck(config, limits);

  // A class for the sake of `api`: a getter on the prototype costs nothing per request, one on each object does.
  class Context implements RequestContext {
    readonly services = services;
    readonly limits = limits;
    readonly metrics = metrics;
    readonly log = log;
    readonly openapi = openapi;
    readonly requestId = randomUUID();
    readonly cookies: string[] = [];
    #api: Api | undefined;
    #reviewer: Promise<Reviewer | null> | undefined;

    constructor(
      readonly request: RequestSource,
      private readonly socket: ClientSocket,
    ) {}

    get api() {
      return (this.#api ??= createApi(this));
    }

    readonly client = () =>
      hashClient(
        clientAddress(
          this.socket.remoteAddress,
          this.request.header('x-forwarded-for'),
          config.trustProxy,
        ),
      );

    readonly origin = () => originOf(this.request);

    readonly withPage = <Record extends RegistrationRecord>(registration: Record) => ({
      ...registration,
      pageUrl: `${this.origin()}/register/${registration.id}`,
    });

    readonly requireCredential = () =>
      checkCredential(this.request.header('authorization'), this.client);

    readonly reportSigner = (
      kind: SignedKind,
      request: EndpointRequest,
      body: Uint8Array,
      claim: unknown,
    ) => {
      const { nodeId } = (claim ?? {}) as { nodeId?: unknown };
      const signing = services.identity.reportSigner(
        request,
        body,
        // Without PUBLIC_URL, heartbeats come by any name that leads here: only the rest of the signature is checked.
        () => new URL(config.publicUrl ?? request.url).origin,
      );
      return verifySigner(this, request, signing, nodeId, this.client, (signer) => {
        if (typeof nodeId === 'string') services.identity.requireUnspent(nodeId, kind, signer);
      });
    };

    readonly actionSigner = async (
      request: EndpointRequest,
      body: Uint8Array | null,
      nodeId?: string,
    ) => {
      const signing = services.identity.actionSigner(request, body, this.network);
      const signer = await verifySigner(this, request, signing, nodeId, this.client, (signer) =>
        services.identity.spend(signer),
      );
      return signer && signer.key;
    };

    readonly requireActionSigner = async (
      request: EndpointRequest,
      body: Uint8Array | null,
      nodeId?: string,
    ) => {
      const key = await this.actionSigner(request, body, nodeId);
      if (key === null)
        throw new AppError(
          'signature_required',
          'Sign this request with the key of the node, as RFC 9421 says; mesh-agent does it automatically.',
        );
      return key;
    };

    readonly network = () => ownOrigin(config, this.socket, this.request.header('host'));

    readonly reviewer = () => (this.#reviewer ??= services.accounts.signedIn(this.request.headers));

    readonly requireReviewer = async (role?: ReviewerRole) => {
      const found = await this.reviewer();
      if (!found) throw new AppError('unauthorized', 'Sign in as a reviewer first.');
      if (role === 'administrator' && found.role !== role)
        throw new AppError('forbidden', 'Administrators only.');
      return found;
    };

    readonly requireSameOrigin = () => requireSameOrigin(this.request.headers, this.origin());
  }

  return (request, socket) => new Context(request, socket);
}

/** Makes the function that tells under which scheme and host the service is reached. X-Forwarded-Proto counts only behind a trusted proxy. */
export const createOrigin =
  ({ publicUrl, trustProxy }: Pick<Config, 'publicUrl' | 'trustProxy'>) =>
  (request: Pick<RequestSource, 'url' | 'header'>): string => {
    if (publicUrl !== undefined) return publicUrl;
    const { origin } = new URL(request.url);
    const scheme = trustProxy > 0 ? request.header('x-forwarded-proto') : null;
    return scheme === 'https' ? origin.replace(/^http:/, 'https:') : origin;
  };

/**
 * Requires that a request comes from one of our pages, or from the person directly (a bookmark). Pages cannot
 * forge Sec-Fetch-Site. Browsers omit it over plain http to another machine; then Origin must be ours. Every
 * current browser sends one of them.
 * @param own scheme and host under which this service is reached
 * @throws AppError `forbidden`
 */
function requireSameOrigin(headers: Headers, own: string): void {
  const site = headers.get('sec-fetch-site');
  const origin = headers.get('origin');
  const ours =
    site === null ? origin === new URL(own).origin : site === 'same-origin' || site === 'none';
  if (ours) return;
  const silent = site === null && (origin === null || origin === 'null');
  throw new AppError(
    'forbidden',
    silent
      ? 'Your browser did not say which page this request comes from. Without JavaScript, browsers omit that over plain http to another machine. Open the page over https, or as localhost on the machine itself, and send it again.'
      : 'This came from another site. Open the page here and try again.',
  );
}
