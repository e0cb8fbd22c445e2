import { isAppError } from '#server/common/errors.schema.ts';
import { isReservedNodeId } from '#server/common/fields.schema.ts';
import { Start } from '#server/registration/register.schema.ts';
import type { Services } from '#server/services.ts';
import { regionOf, type Step, type Wizard } from './wizard.ts';

/** The fields that have something to say. */
export type Field = 'name' | 'kinds' | 'class' | 'region' | 'label' | 'node';
export type Problems = Partial<Record<Field, string>>;

/** The start that the answers make; parsed by the same schema as the body of POST /api/registry/register. */
export const startOf = (wizard: Wizard) =>
  Start.safeParse({
    action: 'start',
    name: wizard.name,
    ...(wizard.label !== '' && { label: wizard.label }),
    class: wizard.class,
    region: regionOf(wizard),
    nodeId: wizard.node,
    kinds: wizard.kinds,
  });

/**
 * What came of the last step where it was sent before: the way back leads to it again, and so does a reload.
 * Its registration; `other` where other answers were sent with the key; null where nothing was.
 */
export async function sentBefore(
  { registry }: Pick<Services, 'registry'>,
  wizard: Wizard,
): Promise<{ id: string } | 'other' | null> {
  const start = wizard.key === '' ? null : startOf(wizard);
  if (!start?.success) return null;
  try {
    return await registry.startedWith(wizard.key, start.data);
  } catch (error) {
    // A start tells as well.
    if (isAppError(error) && error.code === 'unavailable') return null;
    throw error;
  }
}

export interface NameCheck {
  name: string;
  /** Null where it can be had. `unknown`: the database is away, and the start will tell. */
  problem: 'taken' | 'reserved' | 'invalid' | 'unknown' | null;
  message: string;
  alternatives: string[];
}

/** Whether the name can be had, and where not what is near it and can. */
export async function checkName(
  { registry }: Pick<Services, 'registry'>,
  name: string,
): Promise<NameCheck> {
  try {
    const { name: asked, reason, message } = await registry.availability(name);
    const alternatives = reason === null ? [] : await registry.alternatives(name);
    return { name: asked, problem: reason, message, alternatives };
  } catch (error) {
    if (!isAppError(error) || error.code !== 'unavailable') throw error;
    const message = 'Whether it is free cannot be told at this moment. It is checked again later.';
    return { name, problem: 'unknown', message, alternatives: [] };
  }
}

/**
 * What a start would refuse in the answers of the second step, all of it at once.
 * @param missing also what has not been answered: that is no mistake before the step is left
 */
export function checkAnswers(
  { registry }: Pick<Services, 'registry'>,
  wizard: Wizard,
  missing: boolean,
): Problems {
  const problems: Problems = {};
  const parsed = startOf(wizard);
  if (!parsed.success)
    for (const { path, message } of parsed.error.issues) {
      const field = path[0] === 'nodeId' ? 'node' : path[0];
      if (isAnswer(field)) problems[field] ??= `${SUBJECT[field]} ${message}.`;
    }
  if (wizard.node === '') problems.node = 'Say which node it is: choose one, or type its id.';
  if (isReservedNodeId(wizard.node))
    problems.node = 'The id genesis belongs to the bootstrap peer. Choose another one.';
  if (wizard.kinds.length === 0) problems.kinds = 'Choose node, compute or both.';
  try {
    registry.shownLabel({ name: wizard.name, label: wizard.label });
  } catch (error) {
    if (!isAppError(error)) throw error;
    problems.label = `${SUBJECT.label} ${error.issues?.[0]?.message}.`;
  }
  if (!missing) {
    if (wizard.node === '') delete problems.node;
    if (wizard.kinds.length === 0) delete problems.kinds;
  }
  return problems;
}

const SUBJECT = {
  kinds: 'The kinds',
  class: 'The class',
  region: 'The region',
  label: 'The label',
  node: 'The id',
} as const;

const isAnswer = (field: unknown): field is keyof typeof SUBJECT =>
  typeof field === 'string' && field in SUBJECT;

/** The step that can be shown: a later one waits for what is wrong before it. */
export function reachable(asked: Step, name: NameCheck | null, problems: Problems): Step {
  if (asked === 'name') return 'name';
  if (name === null || (name.problem !== null && name.problem !== 'unknown')) return 'name';
  return asked === 'check' && Object.keys(problems).length > 0 ? 'what' : asked;
}
