import type { Registration } from '@mesh-registry/protocol/rest/register.schema.ts';
import { KINDS, UNKNOWN_REGION, type NodeClass } from '@mesh-registry/protocol/values.schema.ts';
import * as hrefs from '#app/lib/hrefs.ts';

/**
 * The answers of somebody who registers a name. They are kept in the URL: the back button, a reload, another
 * tab and another device find them there, and plain forms send them on. Free of zod, because the browser
 * reads them too; the server checks them (`wizard-answers.server.ts`).
 */

type Kind = (typeof KINDS)[number];

export const STEPS = ['name', 'what', 'check'] as const;
export type Step = (typeof STEPS)[number];

export interface WizardAnswers {
  step: Step;
  name: string;
  kinds: Kind[];
  /** The class as entered: `S`, `M`, `L`, or anything else. */
  class: string;
  region: string;
  label: string;
  node: string;
  /** The payment note of a registration that ended; its payment can be found by it. */
  earlier: string;
  /** Idempotency key of this set of answers: sent twice, they make one registration. */
  key: string;
}

/** A key as the server makes it; any other in the URL is ignored. */
const KEY = /^[\w-]{16,64}$/;

/** Longest text that is read of each, characters. The server reports answers that are too long by their own rules. */
const MAX = { name: 64, class: 1, region: 32, label: 128, node: 128, earlier: 64, key: 64 };

const EMPTY: WizardAnswers = {
  step: 'name',
  name: '',
  // Both cost the same as one, and none can be added later.
  kinds: [...KINDS],
  class: 'S',
  region: '',
  label: '',
  node: '',
  earlier: '',
  key: '',
};

/** The answers in a URL or a form, with defaults for what is missing. */
export function readAnswers(given: URLSearchParams | FormData): WizardAnswers {
  const text = (name: keyof typeof MAX) => {
    const value = given.get(name);
    return typeof value === 'string'
      ? value
          .replace(/\p{Cc}/gu, '')
          .trim()
          .slice(0, MAX[name])
      : '';
  };
  const key = text('key');
  const kinds = given.getAll('kinds');
  const step = given.get('step');
  return {
    step: STEPS.find((each) => each === step) ?? EMPTY.step,
    name: text('name'),
    // Unticked boxes send nothing; the class shows whether the boxes were there at all.
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

const REST = ['region', 'label', 'node', 'earlier', 'key'] as const;

/** The same as parameters, without the defaults. */
export function answerFields(answers: WizardAnswers): [string, string][] {
  const untouched = answers.class === EMPTY.class && answers.kinds.length === EMPTY.kinds.length;
  const fields: [string, string][] = [
    ['step', answers.step === EMPTY.step ? '' : answers.step],
    ['name', answers.name],
    ...(untouched ? [] : answers.kinds.map((kind): [string, string] => ['kinds', kind])),
    ['class', untouched ? '' : answers.class],
    ...REST.map((name): [string, string] => [name, answers[name]]),
  ];
  return fields.filter(([, value]) => value !== '');
}

/** The URL of a step with these answers. Leave the key out for another set of answers, which gets its own. */
export function wizardHref(answers: Partial<WizardAnswers>): string {
  const query = new URLSearchParams(answerFields({ ...EMPTY, ...answers })).toString();
  return query === '' ? hrefs.register() : `${hrefs.register()}?${query}`;
}

/** What a node's heartbeats report. */
export type Reported = Pick<WizardAnswers, 'class' | 'region'>;

/**
 * The answers with what a node reports. Its class and region are filled in unless the operator entered others:
 * defaults, and what came from the node before it, are replaced.
 * @param reported null: nothing is known of the node
 */
export function withReported(
  answers: WizardAnswers,
  reported: Reported | null,
  before?: Reported,
): WizardAnswers {
  const entered = (field: keyof Reported) =>
    ![EMPTY[field], before?.[field] ?? EMPTY[field]].includes(answers[field]);
  const { class: size, region } = reported ?? EMPTY;
  return {
    ...answers,
    class: entered('class') ? answers.class : size,
    region: entered('region') ? answers.region : region === UNKNOWN_REGION ? EMPTY.region : region,
  };
}

export const CLASS_LABELS: Record<NodeClass, { title: string; text: string }> = {
  S: { title: 'S, small', text: 'A single-board computer or a laptop.' },
  M: { title: 'M, medium', text: 'A desktop or a home server.' },
  L: { title: 'L, large', text: 'A large server, or several machines as one.' },
};

/** The region as it is registered; it is optional. */
export const regionOf = ({ region }: Pick<WizardAnswers, 'region'>) => region || UNKNOWN_REGION;

/** The answers that made a registration, to start another one. */
export const answersOf = ({ name, kinds, class: size, region, label, nodeId }: Registration) => ({
  name,
  kinds,
  class: size,
  region: region === UNKNOWN_REGION ? '' : region,
  label: label === name ? '' : label,
  node: nodeId,
});
