import type { Registration } from '#server/registration/register.schema.ts';
import { KINDS, UNKNOWN_REGION, type NodeClass } from '#server/common/values.schema.ts';

/**
 * What somebody who registers a name has said so far. All of it stands in the address: the way back, a
 * reload, another tab and another device find it there, and plain forms send it on.
 * Free of zod, because the browser reads it too; whether it can be so is looked at by the server
 * (`wizard.server.ts`).
 */

type Kind = (typeof KINDS)[number];

export const STEPS = ['name', 'what', 'check'] as const;
export type Step = (typeof STEPS)[number];

export interface Wizard {
  step: Step;
  name: string;
  kinds: Kind[];
  /** As it was said: `S`, `M`, `L`, or something else. */
  class: string;
  region: string;
  label: string;
  node: string;
  /** The payment note of a registration that ended: its payment may be found by it. */
  earlier: string;
  /** Made once for each set of answers: whoever sends them twice with it gets one registration. */
  key: string;
}

/** A key as the server makes it; another one, which somebody put into the address, is none. */
const KEY = /^[\w-]{16,64}$/;

/** Longest text that is read of each; the server says what is too long of those that have a rule. */
const MAX = { name: 64, class: 1, region: 32, label: 128, node: 128, earlier: 64, key: 64 };

const EMPTY: Wizard = {
  step: 'name',
  name: '',
  // Both cost no more than one, and none can be added later.
  kinds: [...KINDS],
  class: 'S',
  region: '',
  label: '',
  node: '',
  earlier: '',
  key: '',
};

/** Of an address or of a form; what is not there is as nobody said anything. */
export function readWizard(given: URLSearchParams | FormData): Wizard {
  const text = (name: keyof typeof MAX) => {
    const value = given.get(name);
    return typeof value === 'string' ? value.trim().slice(0, MAX[name]) : '';
  };
  const key = text('key');
  const kinds = given.getAll('kinds');
  const step = given.get('step');
  return {
    step: STEPS.find((each) => each === step) ?? EMPTY.step,
    name: text('name'),
    // No box that is ticked sends nothing: whether the boxes were there, the class tells.
    kinds:
      given.has('class') || kinds.length > 0
        ? KINDS.filter((kind) => kinds.includes(kind))
        : EMPTY.kinds,
    class: text('class') || EMPTY.class,
    region: text('region').toUpperCase(),
    label: text('label'),
    node: text('node'),
    earlier: text('earlier'),
    key: KEY.test(key) ? key : '',
  };
}

/** The parameters that say the same; what nobody said is left out. */
export function wizardFields(wizard: Wizard): [string, string][] {
  const untouched = wizard.class === EMPTY.class && wizard.kinds.length === EMPTY.kinds.length;
  const fields: [string, string][] = [
    ['step', wizard.step === EMPTY.step ? '' : wizard.step],
    ['name', wizard.name],
    ...(untouched ? [] : wizard.kinds.map((kind): [string, string] => ['kinds', kind])),
    ['class', untouched ? '' : wizard.class],
    ['region', wizard.region],
    ['label', wizard.label],
    ['node', wizard.node],
    ['earlier', wizard.earlier],
    ['key', wizard.key],
  ];
  return fields.filter(([, value]) => value !== '');
}

/** The address of a step. Without a key: another set of answers gets another one. */
export function wizardHref(wizard: Partial<Wizard>): string {
  const query = new URLSearchParams(wizardFields({ ...EMPTY, ...wizard })).toString();
  return query === '' ? '/register' : `/register?${query}`;
}

/** What a node says of itself. */
type Said = Pick<Wizard, 'class' | 'region'>;

/**
 * The answers with a node that was chosen from those that ping, and with its class and region where nobody gave
 * others: what is not said, what stands there from the start, and what came from the node before.
 */
export function withNode(wizard: Wizard, node: Said & { id: string }, before?: Said): Wizard {
  const own = (field: keyof Said) =>
    ![EMPTY[field], before?.[field] ?? EMPTY[field]].includes(wizard[field]);
  const region = node.region === UNKNOWN_REGION ? EMPTY.region : node.region;
  return {
    ...wizard,
    node: node.id,
    class: own('class') ? wizard.class : node.class,
    region: own('region') ? wizard.region : region,
  };
}

/** Where a registration is followed; with the note of one before it, which may have been paid. */
export const followHref = (id: string, earlier = '') =>
  `/register/${id}${earlier && `?${new URLSearchParams({ earlier }).toString()}`}`;

export const CLASS_WORDS: Record<NodeClass, { title: string; text: string }> = {
  S: { title: 'S, small', text: 'A single-board computer or a laptop.' },
  M: { title: 'M, medium', text: 'A desktop or a home server.' },
  L: { title: 'L, large', text: 'A big server, or several machines as one.' },
};

/** The region as it is registered: nobody has to say one. */
export const regionOf = ({ region }: Pick<Wizard, 'region'>) => region || UNKNOWN_REGION;

/** The answers that made a registration, for another one. */
export const wizardOf = ({ name, kinds, class: size, region, label, nodeId }: Registration) => ({
  name,
  kinds,
  class: size,
  region: region === UNKNOWN_REGION ? '' : region,
  label: label === name ? '' : label,
  node: nodeId,
});
