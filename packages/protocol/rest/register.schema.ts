import { z } from 'zod';
import {
  Kind,
  NodeClass,
  NodeId,
  QuestionText,
  Region,
  SentLabel,
  SentName,
  SentNodeId,
  SentRegion,
  Timestamp,
} from './fields.schema.ts';
import { boundedText } from '../text.schema.ts';
import { DsseEnvelope } from '../keys/dsse.schema.ts';
import { ENDED_BY, KINDS, REGISTRATION_STATUSES } from '../values.schema.ts';

/** The wire format of registrations: POST /api/registry/register, and GET with a name or an id. */

export const REGISTRATION_ID_PATTERN = /^reg_[A-Za-z0-9_-]{22,64}$/;

export const RegistrationStatus = z.enum(REGISTRATION_STATUSES);

export const RegistrationId = boundedText(128).meta({
  description: 'Secret: anyone who has it can see, confirm and cancel the registration.',
  example: 'reg_4k7XQ2m9VbT0cRfJ8wYhLd',
});

const IDEMPOTENCY_KEY_RULE = 'must be 1 to 255 visible ASCII characters';

/** The headers of a start, which may be left out. */
export const StartHeaders = z.object({
  'Idempotency-Key': boundedText(255, IDEMPOTENCY_KEY_RULE)
    .regex(/^[\x21-\x7e]{1,255}$/, IDEMPOTENCY_KEY_RULE)
    .meta({
      description:
        'For `start`: a retry with the same key and body within a day gets the first response again. Use a random key: anyone who sends it with the same body gets the same registration.',
      example: '5f1d7a90-9d59-4a0c-8f0e-6a4cf2a7c3f1',
    }),
});

const Proof = DsseEnvelope.optional().meta({
  description:
    'Proves by the node’s key that the action is its operator’s: a DSSE envelope of the type `application/vnd.mesh-registry.node-proof+json` over `{ network, action, name, nodeId, id, created, nonce }`. Without `id` for `start`. The same proof is accepted again only with the same request.',
});

export const Start = z
  .object(
    {
      action: z.literal('start'),
      name: SentName,
      label: SentLabel.optional().meta({
        description:
          'Display label. One that could not be published as it is, by the rules of a ping, is refused. Default: what the node’s heartbeats say, or the name.',
        example: 'garage',
      }),
      class: NodeClass.optional().meta({
        description: 'Size class. Default: what the node’s heartbeats say, or S.',
        example: 'M',
      }),
      region: SentRegion.optional().meta({
        description: 'Region code. Default: that of the node on the map, or ZZ (unknown).',
        example: 'NA',
      }),
      nodeId: SentNodeId,
      kinds: z
        .array(Kind, 'must be an array of node and compute')
        .min(1, 'must have node, compute or both')
        .max(KINDS.length, 'must have node, compute or both')
        .refine((kinds) => new Set(kinds).size === kinds.length, 'must not repeat a kind')
        .meta({ uniqueItems: true, example: ['node', 'compute'] }),
      earlierId: boundedText(128).optional().meta({
        description:
          'The id of a registration that has ended. Reviewers see both with their payments, so that a payment with the earlier note isn’t lost. It counts once.',
        example: 'reg_9mVbT0cRfJ8wYhLd4k7XQ2',
      }),
      proof: Proof,
    },
    'must be a JSON object',
  )
  .meta({
    id: 'Start',
    example: {
      action: 'start',
      name: 'garage',
      label: 'garage',
      class: 'M',
      region: 'NA',
      nodeId: 'node_macmini',
      kinds: ['node', 'compute'],
    },
  });
export type Start = z.infer<typeof Start>;

export const Confirm = z
  .object(
    {
      action: z.literal('confirm'),
      id: RegistrationId,
      cashConfirm: boundedText(128).optional().meta({
        description: 'Confirmation text from the payment app, for the reviewer.',
        example: '#D-7Q2M41',
      }),
      proof: Proof,
    },
    'must be a JSON object',
  )
  .meta({
    id: 'Confirm',
    example: { action: 'confirm', id: 'reg_4k7XQ2m9VbT0cRfJ8wYhLd', cashConfirm: '#D-7Q2M41' },
  });
export type Confirm = z.infer<typeof Confirm>;

export const Cancel = z
  .object(
    { action: z.literal('cancel'), id: RegistrationId, proof: Proof },
    'must be a JSON object',
  )
  .meta({ id: 'Cancel', example: { action: 'cancel', id: 'reg_4k7XQ2m9VbT0cRfJ8wYhLd' } });

export type Cancel = z.infer<typeof Cancel>;

export const AnswerQuestion = z
  .object(
    {
      action: z.literal('answer'),
      id: RegistrationId,
      questionId: boundedText(64).meta({
        description: 'The `id` of one of its `questions`.',
        example: 'q_9mVbT0cRfJ8w',
      }),
      text: QuestionText,
    },
    'must be a JSON object',
  )
  .meta({
    id: 'AnswerQuestion',
    example: {
      action: 'answer',
      id: 'reg_4k7XQ2m9VbT0cRfJ8wYhLd',
      questionId: 'q_9mVbT0cRfJ8w',
      text: 'The payment came from J. Doe.',
    },
  });
export type AnswerQuestion = z.infer<typeof AnswerQuestion>;

export const RegisterBody = z.discriminatedUnion(
  'action',
  [Start, Confirm, AnswerQuestion, Cancel],
  {
    error: ({ code, input }) =>
      code !== 'invalid_union'
        ? 'must be a JSON object'
        : (input as { action?: unknown }).action === undefined
          ? 'is required: start, confirm, cancel or answer'
          : 'must be start, confirm, cancel or answer',
  },
);
export type RegisterBody = z.infer<typeof RegisterBody>;

const Said = { at: Timestamp, text: z.string() };

export const Question = z
  .object({
    id: z.string().meta({ example: 'q_9mVbT0cRfJ8w' }),
    ...Said,
    answers: z.array(z.object(Said)).meta({ description: 'The oldest first.' }),
  })
  .meta({ id: 'Question' });
export type Question = z.infer<typeof Question>;

export const Registration = z
  .object({
    ok: z.literal(true),
    id: RegistrationId,
    name: z.string().meta({ example: 'garage' }),
    label: z.string().meta({ example: 'garage' }),
    class: NodeClass,
    region: Region,
    nodeId: NodeId,
    kinds: z.array(Kind),
    status: RegistrationStatus,
    paymentNote: z.string().meta({
      description: 'Attach exactly this note to the payment.',
      example: 'MESH-garage-7K3QFA',
    }),
    feeUsd: z.number().meta({ example: 5 }),
    payUrl: z.url().meta({ example: 'https://cash.app/$MeshDemo/5.00?note=MESH-garage-7K3QFA' }),
    pageUrl: z.url().meta({
      description:
        'The page that shows the registration. As secret as the `id`, which is a part of it.',
      example: 'https://mesh.example.org/register/reg_4k7XQ2m9VbT0cRfJ8wYhLd',
    }),
    createdAt: Timestamp,
    updatedAt: Timestamp,
    expiresAt: Timestamp.meta({ description: 'Until then the unpaid name is reserved.' }),
    rejectionReason: z.string().nullable(),
    endedBy: z.enum(ENDED_BY).nullable().meta({
      description:
        'Who ended a rejected registration: its operator, who cancelled or released it; the end of its reservation; or a reviewer. Null for any other.',
      example: null,
    }),
    cashConfirmGiven: z.boolean().meta({
      description: 'Whether a confirmation text was sent. Only reviewers see the text.',
      example: false,
    }),
    nodeProved: z.boolean().optional().meta({
      description:
        'Whether the node’s own key has proved the registration: the one to which the node is pinned or, without a pin, the one that signs its heartbeats. Missing, like `notices`, if there is neither a proof nor a notice.',
    }),
    notices: z
      .array(z.string())
      .optional()
      .meta({
        description:
          'Until it is decided: why the node may be somebody else’s, a sentence each. Reviewers see them too.',
        example: ['The node already has the active name “attic”.'],
      }),
    questions: z.array(Question).optional().meta({
      description:
        'What reviewers have asked, the oldest first, as plain text. Missing if nobody has.',
    }),
  })
  .meta({ id: 'Registration' });
export type Registration = z.infer<typeof Registration>;

/** A registration as the service knows it. The request adds the page: its address depends on how it came in. */
export type RegistrationRecord = Omit<Registration, 'pageUrl'>;

export const Claim = z
  .object({ id: RegistrationId }, 'must be a JSON object')
  .meta({ id: 'Claim', example: { id: 'reg_4k7XQ2m9VbT0cRfJ8wYhLd' } });

export const NodeRegistrations = z
  .object({
    ok: z.literal(true),
    nodeId: NodeId,
    count: z.int(),
    registrations: z.array(Registration).meta({
      description: 'Those that this key has proved, in any status, the oldest first.',
    }),
  })
  .meta({ id: 'NodeRegistrations' });
export type NodeRegistrations = z.infer<typeof NodeRegistrations>;

export const RegisterQuery = z
  .object({
    name: boundedText(256)
      .optional()
      .meta({ description: 'Checks whether this name is available.', example: 'garage' }),
    id: boundedText(128).optional().meta({
      description: 'Returns this registration.',
      example: 'reg_4k7XQ2m9VbT0cRfJ8wYhLd',
    }),
  })
  .refine(({ name, id }) => name === undefined || id === undefined, {
    path: ['id'],
    message: 'must not be combined with name',
  });
export type RegisterQuery = z.infer<typeof RegisterQuery>;
