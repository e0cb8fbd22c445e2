import type { ErrorCode } from '#server/common/errors.schema.ts';

/** What an operator does about each refusal; two are only for browsers and reviewers. */
export const REFUSALS: Record<Exclude<ErrorCode, 'already_decided' | 'forbidden'>, string> = {
  invalid_json: 'The body cannot be read as JSON. Look for quotes that the shell has eaten.',
  invalid_body: 'Mend the fields that `issues` names. The same body again gets the same answer.',
  invalid_query: 'Mend the parameter that `issues` names; give each one once.',
  reserved_node_id: 'The id `genesis` belongs to the bootstrap peer. Choose another one.',
  unauthorized:
    'Send the header `Authorization: Bearer` with the network’s secret. If you do, the secret was rotated: ask whoever runs the network.',
  blocked:
    'The reviewers have blocked this node: its heartbeats and announces are refused. Ask whoever runs the network.',
  not_found: 'The path is not one of ours, or there is no registration with this id.',
  method_not_allowed: 'The header `Allow` says which methods the path takes.',
  name_taken: 'Somebody holds the name. Choose another one.',
  name_reserved: 'Nobody may register this name. Choose another one.',
  invalid_state:
    'A reviewer has rejected the registration, or the same `Idempotency-Key` came with another body. Start a new registration, with a new key.',
  payload_too_large: 'Send less. The limits are in the reference, at each path.',
  unsupported_media_type: 'Send the header `Content-Type: application/json`.',
  rate_limited: 'Wait for the seconds in `Retry-After`, then go on.',
  internal: 'The mistake is ours. Try again later; if it stays, report the `requestId`.',
  unavailable:
    'The database is away. Wait for the seconds in `Retry-After` and send the same again: a repeated heartbeat or announce does no harm, nor does a start with its `Idempotency-Key`.',
};
