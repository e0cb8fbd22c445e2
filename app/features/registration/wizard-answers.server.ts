import type { AppLoadContext } from '@remix-run/node';
import { isAppError } from '#server/common/errors.schema.ts';
import { isReservedNodeId } from '@mesh-registry/protocol/rest/fields.schema.ts';
import type { NodeClass } from '@mesh-registry/protocol/values.schema.ts';
import { Start } from '@mesh-registry/protocol/rest/register.schema.ts';
import type { Step, WizardAnswers } from './wizard.ts';

type Api = AppLoadContext['api'];

/** What is wrong with each answer, as a sentence. */
export type FieldErrors = Partial<Record<keyof typeof SUBJECT, string>>;

/** The answers as input for `registry.start`, which finds what is left out itself; the procedure checks the class. */
export const startOf = (answers: WizardAnswers) => ({
  name: answers.name,
  ...(answers.label !== '' && { label: answers.label }),
  ...(answers.class !== '' && { class: answers.class as NodeClass }),
  ...(answers.region !== '' && { region: answers.region }),
  nodeId: answers.node,
  kinds: answers.kinds,
});

const parseStart = (answers: WizardAnswers) =>
  Start.safeParse({ action: 'start', ...startOf(answers) });

/** Whether the service can’t say it right now: the start asks again. */
const isAway = (error: unknown): boolean =>
  isAppError(error) && ['unavailable', 'rate_limited'].includes(error.code);

/**
 * The outcome of the last step if it was sent before: the back button and a reload lead to it again.
 * @returns its registration; `other` if other answers were sent with the key; null if nothing was
 */
export async function sentBefore(
  api: Api,
  answers: WizardAnswers,
): Promise<{ id: string } | 'other' | null> {
  if (answers.key === '' || !parseStart(answers).success) return null;
  try {
    return await api.registry.startedWith({ ...startOf(answers), idempotencyKey: answers.key });
  } catch (error) {
    // The start reports it.
    if (isAway(error)) return null;
    throw error;
  }
}

export interface NameCheck {
  name: string;
  /** Null if the name is available. `unknown`: the database is down or has been asked too often; the start checks again. */
  problem: 'taken' | 'reserved' | 'invalid' | 'unknown' | null;
  message: string;
  alternatives: string[];
}

/**
 * Whether the name is available, and if not, which similar names are.
 * @param near what is known of the node, for the similar ones
 */
export async function checkName(api: Api, name: string, near: string[]): Promise<NameCheck> {
  try {
    const { name: asked, reason, message } = await api.registry.availability({ name });
    const alternatives = reason === null ? [] : await api.registry.alternatives({ name, near });
    return { name: asked, problem: reason, message, alternatives };
  } catch (error) {
    if (!isAway(error)) throw error;
    const message =
      'We can’t check right now whether this name is available. We’ll check it later.';
    return { name, problem: 'unknown', message, alternatives: [] };
  }
}

/** What a start would refuse in the answers besides the name, all at once. */
export async function checkAnswers(api: Api, answers: WizardAnswers) {
  const errors: FieldErrors = {};
  let suggestedLabel: string | null = null;
  const parsed = parseStart(answers);
  if (!parsed.success)
    for (const { path, message } of parsed.error.issues) {
      const field = path[0] === 'nodeId' ? 'node' : path[0];
      if (isField(field)) errors[field] ??= `${SUBJECT[field]} ${message}.`;
    }
  if (isReservedNodeId(answers.node))
    errors.node = 'The ID genesis belongs to the bootstrap peer. Choose another one.';
  try {
    await api.registry.displayLabel({ name: answers.name, label: answers.label });
  } catch (error) {
    if (!isAppError(error)) throw error;
    errors.label = error.issues?.[0]?.message ?? error.message;
    suggestedLabel = error.issues?.[0]?.suggestion ?? null;
  }
  if (answers.node === '') errors.node = 'Choose a node or enter its ID.';
  if (answers.kinds.length === 0) errors.kinds = 'Choose at least one.';
  return {
    errors,
    /** What is left of a label that can’t be published as it is. */
    suggestedLabel,
  };
}

const SUBJECT = {
  kinds: 'The kinds',
  class: 'The class',
  region: 'The region',
  label: 'The label',
  node: 'The node ID',
} as const;

type AnswerField = keyof typeof SUBJECT;

const isField = (field: unknown): field is AnswerField =>
  typeof field === 'string' && field in SUBJECT;

/** The fields of each step, besides the name. */
const FIELDS: [Exclude<Step, 'check'>, AnswerField[]][] = [
  ['name', ['kinds']],
  ['node', ['node']],
  ['details', ['label', 'class', 'region']],
];

/** The step that can be shown: a later one waits until what comes before it is right. */
export function reachableStep(asked: Step, name: NameCheck | null, errors: FieldErrors): Step {
  if (asked === 'name') return 'name';
  if (name === null || (name.problem !== null && name.problem !== 'unknown')) return 'name';
  for (const [step, fields] of FIELDS)
    if (step === asked || fields.some((field) => errors[field])) return step;
  return asked;
}

/** What is wrong on a step, as far as it is said: what has not been answered is no error before its step is left. */
export function stepErrors(step: Step, asked: Step, errors: FieldErrors): FieldErrors {
  if (step === asked && step !== 'details') return {};
  const fields = FIELDS.find(([each]) => each === step)?.[1] ?? [];
  return Object.fromEntries(
    fields.flatMap((field) => (errors[field] ? [[field, errors[field]]] : [])),
  );
}
