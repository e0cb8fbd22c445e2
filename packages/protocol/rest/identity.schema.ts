import { z } from 'zod';
import { DsseEnvelope } from '../keys/dsse.schema.ts';
import { NodeKey } from '../keys/node-key.schema.ts';
import { NodeId, Timestamp } from './fields.schema.ts';
import { PIN_SOURCES } from '../values.schema.ts';

/** The wire format of /api/mesh/nodes/:id/key. */

export const NodeKeyAnswer = z
  .object({
    ok: z.literal(true),
    nodeId: NodeId,
    key: NodeKey.nullable().meta({
      description: 'The key to which the node’s id is pinned; null: none.',
    }),
    source: z.enum(PIN_SOURCES).nullable().meta({
      description:
        'What pinned it: an accepted registration, the first signed request, a rotation, or a reviewer.',
    }),
    pinnedAt: Timestamp.nullable(),
    revoked: z.array(NodeKey).optional().meta({
      description:
        'Keys that reviewers have revoked: nothing that they sign is accepted for this node again. Left out if there are none.',
    }),
  })
  .meta({ id: 'NodeKeyAnswer' });
export type NodeKeyAnswer = z.infer<typeof NodeKeyAnswer>;

export const KeyRotation = z
  .object(
    {
      key: NodeKey.meta({ description: 'The new key.' }),
      proof: DsseEnvelope.meta({
        description:
          'Signed by the new key: a JSON object with network, action "rotate", nodeId, key, previous, created and nonce.',
      }),
    },
    'must be a JSON object',
  )
  .meta({ id: 'KeyRotation' });
export type KeyRotation = z.infer<typeof KeyRotation>;
