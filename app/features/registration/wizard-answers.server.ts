import type { AppLoadContext } from '@remix-run/node';
import { isAppError } from '#server/common/errors.schema.ts';
import { isReservedNodeId } from '@mesh-registry/protocol/rest/fields.schema.ts';
import type { NodeClass } from '@mesh-registry/protocol/values.schema.ts';
import { Start } from '@mesh-registry/protocol/rest/register.schema.ts';
import { regionOf, type Step, type WizardAnswers } from './wizard.ts';

type Api = AppLoadContext['api'];

/** What is wrong with each answer, as a sentence. */
export type FieldErrors = Partial<Record<keyof typeof SUBJECT, string>>;

/** The answers as input for `registry.start`; the procedure checks the class. */
export const startOf = (answers: WizardAnswers) => ({
  name: answers.name,
  label: answers.label,
  class: answers.class as NodeClass,
  region: regionOf(answers),
  nodeId: answers.node,
  kinds: answers.kinds,
});

const parseStart = (answers: WizardAnswers) => {
  const { label, ...start } = startOf(answers);
  return Start.safeParse({ action: 'start', ...start, ...(label !== '' && { label }) });
};

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
    if (isAppError(error) && ['unavailable', 'rate_limited'].includes(error.code)) return null;
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

/** Whether the name is available, and if not, which similar names are. */
export async function checkName(api: Api, name: string): Promise<NameCheck> {
  try {
    const { name: asked, reason, message } = await api.registry.availability({ name });
    const alternatives = reason === null ? [] : await api.registry.alternatives({ name });
    return { name: asked, problem: reason, message, alternatives };
  } catch (error) {
    if (!isAppError(error) || !['unavailable', 'rate_limited'].includes(error.code)) throw error;
    const message =
      'We can’t check right now whether this name is available. We’ll check it later.';
    return { name, problem: 'unknown', message, alternatives: [] };
  }
}

/**
 * What a start would refuse in the answers of the second step, all at once.
 * @param complete also reports what hasn't been answered, which is no error before the step is left
 */
export async function checkAnswers(
  api: Api,
  answers: WizardAnswers,
  complete: boolean,
): Promise<FieldErrors> {
  const errors: FieldErrors = {};
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
  }
  const missing = {
    node: answers.node === '' && 'Choose a node or enter its ID.',
    kinds: answers.kinds.length === 0 && 'Choose node, compute offer or both.',
  };
  for (const field of ['node', 'kinds'] as const) {
    if (!missing[field]) continue;
    if (complete) errors[field] = missing[field];
    else delete errors[field];
  }
  return errors;
}

const SUBJECT = {
  kinds: 'The kinds',
  class: 'The class',
  region: 'The region',
  label: 'The label',
  node: 'The node ID',
} as const;

const isField = (field: unknown): field is keyof typeof SUBJECT =>
  typeof field === 'string' && field in SUBJECT;

/** The step that can be shown: a later one waits until what comes before it is right. */
export function reachableStep(asked: Step, name: NameCheck | null, errors: FieldErrors): Step {
  if (asked === 'name') return 'name';
  if (name === null || (name.problem !== null && name.problem !== 'unknown')) return 'name';
  return asked === 'check' && Object.keys(errors).length > 0 ? 'what' : asked;
}
