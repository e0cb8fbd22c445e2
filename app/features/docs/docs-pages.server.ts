import type { LoaderFunctionArgs } from '@remix-run/node';
import { ERROR_STATUS, type ErrorCode } from '#server/common/errors.schema.ts';
import { NAME_RULE } from '@mesh-registry/protocol/rest/fields.schema.ts';
import * as hrefs from '#app/lib/hrefs.ts';
import { areaLinks, referenceOf } from './reference.server.ts';

/** What the pages of the documentation load. */

/** For every page below /docs: its neighbours, and the settings of this service that the text mentions. */
export function loadDocs({ context }: LoaderFunctionArgs) {
  const { config } = context.services;
  return {
    areas: areaLinks(context),
    origin: context.origin(),
    credential: config.webhookSecrets.length > 0,
    /** Whether heartbeats and announcements without a credential are rejected. */
    credentialRequired: config.production,
    /** Coordinates are rounded to multiples of this many degrees. */
    coordinateGrid: config.coordinateGrid,
    /** A compute offer is listed for this long after its last announcement, milliseconds. */
    computeFreshMs: config.computeFreshMs,
    /** An unpaid name is reserved for this long, milliseconds. */
    holdMs: config.holdMs,
    feeUsd: (config.feeCents / 100).toFixed(2),
    /** Whether a node’s first signed request pins its id to its key. */
    keysPinnedAtFirstUse: config.nodeKeys === 'first-use',
    /** Whether a compute offer is listed only once its name is active. */
    listsActivatedOnly: config.computeListing === 'activated',
  };
}

/** GET /docs/rest: the part of the reference that leads to the others. */
export function loadRest({ context }: LoaderFunctionArgs) {
  const { description, version, credential, areas, errors } = referenceOf(context);
  return {
    description,
    version,
    credential,
    areas: areas.map(({ operations, ...area }) => ({
      ...area,
      operations: operations.map(({ id, method, path, summary }) => ({
        id,
        method,
        path,
        summary,
      })),
    })),
    errors: errors.map(({ code, status }) => ({ code, status })),
  };
}

/** GET /docs/mesh and the other areas of the REST API. @throws Response 404 where there is no such area */
export function loadArea({ params, context }: LoaderFunctionArgs) {
  const area = referenceOf(context).areas.find(
    ({ path }) => path === hrefs.docs.area(params['area'] ?? ''),
  );
  // Remix shows its error page for a thrown response.
  if (!area) throw new Response(null, { status: 404, statusText: 'Not Found' });
  return { area };
}

/** GET /docs/errors. */
export function loadErrors({ context }: LoaderFunctionArgs) {
  const { errors, errorBody } = referenceOf(context);
  return { errors, errorBody };
}

/** GET /docs/operators. As data, so that the page doesn't ship the schemas to browsers. */
export const loadOperators = () => ({
  nameRule: NAME_RULE,
  remedies: Object.entries(REMEDIES).flatMap(([code, meaning]) =>
    meaning === null ? [] : [{ code, status: ERROR_STATUS[code as ErrorCode], meaning }],
  ),
});

/**
 * What an operator can do about each error, as marked text, in the order of the page; null where no operator
 * gets it.
 */
const REMEDIES = {
  invalid_request:
    'The `Host` header, or the path, isn’t valid. Use the address of this service, as its operator writes it.',
  invalid_json: 'The body isn’t valid JSON. Check for quotes that the shell has removed.',
  invalid_body: 'Correct the fields listed in `issues`. Sending the same body again won’t help.',
  invalid_query: 'Correct the parameter listed in `issues`; give each parameter only once.',
  reserved_node_id: 'The ID `genesis` belongs to the bootstrap peer. Choose another one.',
  unauthorized:
    'Send the header `Authorization: Bearer` with the network’s secret. If you already do, the secret has changed: ask the operator of this network.',
  signature_invalid:
    'The signature of the request, or its proof, isn’t accepted: the message says why. Most often the clock of the machine is wrong, or something has changed the body on its way. A key that a reviewer has revoked is never accepted again.',
  signature_required:
    'The node’s ID is pinned to a key, and the request isn’t signed by it. Sign with that key, as `mesh-agent` does. If the key is lost, ask a reviewer to reset it.',
  blocked:
    'Reviewers have blocked this node: its heartbeats and announcements are rejected. Contact the operator of this network.',
  not_found: 'The path doesn’t exist, or there is no registration with this ID. Check both.',
  method_not_allowed:
    'The path doesn’t support this method. The `Allow` header lists those it supports.',
  name_taken: 'The name is taken. Choose another one.',
  name_reserved: 'This name can’t be registered. Choose another one.',
  invalid_state:
    'A reviewer has rejected the registration, or the same `Idempotency-Key` was used with another body. Start a new registration with a new key.',
  payload_too_large: 'The body is too large. The reference states the limit of each path.',
  unsupported_media_type:
    'Send the header `Content-Type: application/json`, and the body uncompressed, without `Content-Encoding`.',
  rate_limited: 'Wait for the number of seconds in `Retry-After`, then continue.',
  internal: 'An error on our side. Try again later; if it persists, report the `requestId`.',
  unavailable:
    'The database is unavailable. Wait for the number of seconds in `Retry-After` and send the request again: repeating a heartbeat or an announcement is safe, and so is a start with its `Idempotency-Key`.',
  storage_full:
    'The service has no disk space left, and nothing was saved. Send the request again after the number of seconds in `Retry-After`; its operator has to make room.',
  // Only reviewers and their pages get these.
  forbidden: null,
  already_decided: null,
  // Whoever would get it has gone.
  client_closed: null,
} satisfies Record<ErrorCode, string | null>;
