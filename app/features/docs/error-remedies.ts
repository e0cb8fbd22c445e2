import type { ErrorCode } from '#server/common/errors.schema.ts';

/** What an operator can do about each error. The two left out concern only browsers and reviewers. */
export const REMEDIES: Record<Exclude<ErrorCode, 'already_decided' | 'forbidden'>, string> = {
  invalid_json: 'The body isn’t valid JSON. Check for quotes that the shell has removed.',
  invalid_body: 'Correct the fields listed in `issues`. Sending the same body again won’t help.',
  invalid_query: 'Correct the parameter listed in `issues`; give each parameter only once.',
  reserved_node_id: 'The ID `genesis` belongs to the bootstrap peer. Choose another one.',
  unauthorized:
    'Send the header `Authorization: Bearer` with the network’s secret. If you already do, the secret has changed: ask the operator of this network.',
  signature_invalid:
    'The signature of the request, or its proof, isn’t accepted: the message says why. Most often the clock of the machine is wrong, or something has changed the body on its way.',
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
  unsupported_media_type: 'Send the header `Content-Type: application/json`.',
  rate_limited: 'Wait for the number of seconds in `Retry-After`, then continue.',
  internal: 'An error on our side. Try again later; if it persists, report the `requestId`.',
  unavailable:
    'The database is unavailable. Wait for the number of seconds in `Retry-After` and send the request again: repeating a heartbeat or an announcement is safe, and so is a start with its `Idempotency-Key`.',
  storage_full:
    'The service has no disk space left, and nothing was saved. Send the request again after the number of seconds in `Retry-After`; its operator has to make room.',
};
