import { z } from 'zod';
import { NodeId } from '@mesh-registry/protocol/rest/fields.schema.ts';
import {
  PlaceHistory,
  PlaceHistoryQuery,
  PlacesAtStep,
  HistoryQuery,
  NetworkHistory,
  NodeHistory,
} from '@mesh-registry/protocol/rest/history.schema.ts';
import { KeyRotation, NodeKeyAnswer } from '@mesh-registry/protocol/rest/identity.schema.ts';
import {
  DryPingAnswer,
  HiddenNode,
  Mesh,
  Ping,
  PingAnswer,
  PingDescription,
  PingQuery,
} from '@mesh-registry/protocol/rest/mesh.schema.ts';
import { KEY_BODY_BYTES, PING_BODY_BYTES } from '@mesh-registry/protocol/values.schema.ts';
import { LIMITS } from '../rate-limits.ts';
import {
  CREDENTIAL,
  errors,
  inWords,
  json,
  NODE_POST_ERRORS,
  read,
  SIGNATURE_ERRORS,
  SIGNED_WITH_CREDENTIAL,
  sent,
  type OpenApiPaths,
} from './parts.ts';

const ofNode = { path: z.object({ id: NodeId }) };

export const meshPaths: OpenApiPaths = {
  '/api/mesh': {
    get: {
      operationId: 'getMesh',
      tags: ['Mesh'],
      summary: 'List all peers, with the live health of Genesis',
      responses: { ...read('All peers at one moment.', Mesh), ...errors('rate_limited') },
    },
  },
  '/api/mesh/ping': {
    get: {
      operationId: 'describePing',
      tags: ['Mesh'],
      summary: 'Describe the heartbeat for machines',
      responses: {
        ...read('Fields, filters and the name of the authentication header.', PingDescription),
        ...errors(),
      },
    },
    post: {
      operationId: 'ping',
      tags: ['Mesh'],
      summary: 'Send a node’s heartbeat',
      description: `Location only. The response is sent once the heartbeat is stored. The body is at most ${PING_BODY_BYTES} bytes. Limits: ${inWords(LIMITS.node)} for each node, and for each client ${inWords(LIMITS.credential)} of wrong credentials or signatures and, by default, 2000 new nodes an hour.`,
      security: CREDENTIAL,
      requestParams: { query: PingQuery },
      requestBody: { required: true, content: json(Ping) },
      responses: {
        '200': sent(
          'Heartbeat received. DryPingAnswer with `dry`: it would be.',
          z.union([PingAnswer, DryPingAnswer]),
        ),
        '201': sent('Heartbeat received. It is the first one of this node.', PingAnswer),
        ...errors('invalid_query', ...NODE_POST_ERRORS),
      },
    },
  },
};

/** A node's key, and its removal. */
export const nodePaths: OpenApiPaths = {
  '/api/mesh/nodes/{id}': {
    delete: {
      operationId: 'removeNode',
      tags: ['Mesh'],
      summary: 'Remove a node',
      description: `For the node’s operator. Stop the node first: one that still sends heartbeats comes back. Signed by the key to which the node is pinned, the request removes it with its compute offers and its history, immediately and permanently. A node that is pinned to no key is hidden at once, and removed after 24 hours unless it sends a heartbeat or an announcement before: then it comes back as it was, and can’t be hidden again while it is online. Its names stay in the registry. Limits for each client: ${inWords(LIMITS.lookup)}, ${inWords(LIMITS.hiding)} of nodes without a key, and ${inWords(LIMITS.credential)} with wrong credentials or signatures.`,
      security: CREDENTIAL,
      requestParams: ofNode,
      responses: {
        '200': sent(
          'Hidden: the node is pinned to no key. Repeated, the request is answered alike.',
          HiddenNode,
        ),
        '204': { description: 'Removed. Repeating the request returns 404.' },
        ...errors(
          'unauthorized',
          ...SIGNATURE_ERRORS,
          'blocked',
          'not_found',
          'invalid_state',
          'rate_limited',
          'unavailable',
          'storage_full',
        ),
      },
    },
  },
  '/api/mesh/nodes/{id}/key': {
    get: {
      operationId: 'getNodeKey',
      tags: ['Mesh'],
      summary: 'Get the key of a node',
      description:
        'The public key to which the ID is pinned. It must sign this node’s heartbeats, announcements and removal.',
      requestParams: ofNode,
      responses: {
        ...read('The key, or null where the id is pinned to none.', NodeKeyAnswer),
        ...errors('not_found'),
      },
    },
    put: {
      operationId: 'rotateNodeKey',
      tags: ['Mesh'],
      summary: 'Replace the key of a node',
      description: `Signed by the key to which the node is pinned, with a proof by the new one. Registrations that the old key has proved follow. Once the new key is pinned, the same request signed by it changes nothing. A blocked node keeps its key, and a key is replaced at most 20 times in 24 hours. The body is at most ${KEY_BODY_BYTES} bytes. Limits for each client: ${inWords(LIMITS.lookup)}, and ${inWords(LIMITS.credential)} with wrong credentials or signatures.`,
      security: SIGNED_WITH_CREDENTIAL,
      requestParams: ofNode,
      requestBody: { required: true, content: json(KeyRotation) },
      responses: {
        '200': sent('The new key is pinned.', NodeKeyAnswer),
        ...errors(
          ...NODE_POST_ERRORS.filter((code) => code !== 'reserved_node_id'),
          'invalid_state',
        ),
      },
    },
  },
};

export const historyPaths: OpenApiPaths = {
  '/api/mesh/history': {
    get: {
      operationId: 'getHistory',
      tags: ['Mesh'],
      summary: 'Get the history of the network, or of one node',
      description: `Recorded a few seconds after the end of each quarter of an hour, in UTC, and kept for 90 days. A quarter in which the service itself was down for more than a minute isn’t measured and counts for no node. Limit with \`node\`: ${inWords(LIMITS.lookup)} for each client.`,
      requestParams: { query: HistoryQuery },
      responses: {
        ...read(
          'With `node`, the history of that node; without, of the network.',
          z.union([NetworkHistory, NodeHistory]),
        ),
        ...errors('invalid_query', 'not_found', 'rate_limited', 'unavailable'),
      },
    },
  },
  '/api/mesh/history/places': {
    get: {
      operationId: 'getPlaceHistory',
      tags: ['Mesh'],
      summary: 'Get where nodes were online',
      description: `The network by place, in steps of a quarter of an hour for the last 24 hours, or of a UTC day for 90 days. A node counts in a quarter if it sent a heartbeat in it; in a day, if it sent one at any time of it, at its last location. Steps in which the service was down are null. The places of a step that is over never change, so they may be kept for a day. Limit with \`at\`: ${inWords(LIMITS.lookup)} for each client.`,
      requestParams: { query: PlaceHistoryQuery },
      responses: {
        ...read(
          'With `at`, the places of that step; without, the list of steps.',
          z.union([PlaceHistory, PlacesAtStep]),
        ),
        ...errors('invalid_query', 'not_found', 'rate_limited', 'unavailable'),
      },
    },
  },
};
