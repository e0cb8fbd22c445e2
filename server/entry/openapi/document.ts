import { createDocument } from 'zod-openapi';
import { PublishedTruth } from '@mesh-registry/protocol/truth/truth.schema.ts';
import type { Config } from '#server/config.ts';
import { fixedAnswer, type AnswerWith } from '#server/live/index.ts';
import packageJson from '../../../package.json' with { type: 'json' };
import { healthPaths } from './health.ts';
import { historyPaths, meshPaths, nodePaths } from './mesh.ts';
import { errors, type OpenApiPaths, read, withOptionalSecret } from './parts.ts';
import { computesPaths, namesPaths } from './registry.ts';

const truthPaths: OpenApiPaths = {
  '/api/truth': {
    get: {
      operationId: 'getTruth',
      tags: ['Mesh'],
      summary: 'Get the network’s signed settings: roots and truth',
      description:
        'The network’s signed settings. The roots name the keys that count; the truth bans peers and pins the public log. Start from a root you trust, not from this response: each root is signed by the keys of the one before, and the truth by the keys in the last root.',
      responses: {
        ...read('The documents, byte for byte as they were signed.', PublishedTruth),
        ...errors('not_found'),
      },
    },
  },
};

/** Every path of the REST interface, with the schemas of what it takes and answers. */
export const restPaths: OpenApiPaths = {
  ...meshPaths,
  ...historyPaths,
  ...nodePaths,
  ...truthPaths,
  ...computesPaths,
  ...namesPaths,
};

/**
 * Documents kept, one for each origin under which the service was asked. A client can send any Host header,
 * so the number is bounded.
 */
const MAX_ORIGINS = 16;

/** The OpenAPI 3.1 document, generated from the schemas that parse the requests. */
export function createOpenApi(config: Config): (origin: string) => AnswerWith<Buffer> {
  const document = createDocument({
    openapi: '3.1.0',
    info: {
      title: 'Mesh Registry',
      version: packageJson.version,
      description:
        'Public mesh map, compute directory and name registry. Bodies are JSON; timestamps are ISO 8601 in UTC with milliseconds. Reads need no credential, carry an ETag and can be compressed. All errors have the same shape.',
      ...contactOf(config.network),
      license: { name: 'See the operator of this service', identifier: 'LicenseRef-operator' },
    },
    servers: [{ url: '/' }],
    security: [],
    tags: [
      { name: 'Mesh', description: 'Peers, heartbeats and Genesis.' },
      { name: 'Computes', description: 'Available compute capacity.' },
      { name: 'Registry', description: 'Public names and their registration.' },
      { name: 'Health', description: 'Checks and metrics for load balancers and monitoring.' },
    ],
    paths: { ...(config.production ? restPaths : withOptionalSecret(restPaths)), ...healthPaths },
    components: {
      securitySchemes: {
        webhookSecret: {
          type: 'http',
          scheme: 'bearer',
          description: config.production
            ? 'The network’s shared secret (WEBHOOK_SECRET). Required.'
            : 'The network’s shared secret (WEBHOOK_SECRET). This service is running in development mode: the header may be omitted, but a wrong secret is rejected.',
        },
        nodeSignature: {
          type: 'http',
          scheme: 'signature',
          description:
            'HTTP Message Signatures (RFC 9421) by the Ed25519 key of the node, over "@method" "@path" "@authority" "content-digest" (the last one with a body only), with created, nonce, keyid (the public key in base64url) and tag="mesh-node". A request for a node id that is pinned to a key has to be signed by that key. The authority is host and port of the service’s own address, and the digest that of the bytes as they are sent. Heartbeats and announcements may leave out "@authority" until the next minor version. Each signature counts once.',
        },
      },
    },
  });
  const answers = new Map<string, AnswerWith<Buffer>>();
  return (origin) => {
    const known = answers.get(origin);
    if (known) return known;
    const answer = fixedAnswer(JSON.stringify({ ...document, servers: [{ url: origin }] }));
    if (answers.size < MAX_ORIGINS) answers.set(origin, answer);
    return answer;
  };
}

/** Who answers questions about this service, as OpenAPI names them. */
function contactOf({ name, contactUrl }: Config['network']) {
  if (contactUrl === null) return {};
  const { protocol, pathname } = new URL(contactUrl);
  return {
    contact: { name, ...(protocol === 'mailto:' ? { email: pathname } : { url: contactUrl }) },
  };
}
