import type { Registration } from '@mesh-registry/protocol/rest/register.schema.ts';
import { KINDS, UNKNOWN_REGION, type NodeClass } from '@mesh-registry/protocol/values.schema.ts';
import { regionName, span } from '#app/lib/formatters.ts';
import * as hrefs from '#app/lib/hrefs.ts';

/**
 * The answers of somebody who registers a name. They are kept in the URL: the back button, a reload, another
 * tab and another device find them there, and plain forms send them on. Free of zod, because the browser
 * reads them too; the server checks them (`wizard-answers.server.ts`).
 */

type Kind = (typeof KINDS)[number];

export const STEPS = ['name', 'node', 'details', 'check'] as const;
export type Step = (typeof STEPS)[number];

export interface WizardAnswers {
  step: Step;
  name: string;
  /** The name that was typed, where an offer of the node was chosen instead. */
  typed: string;
  kinds: Kind[];
  /** What the operator entered of these three; empty: as the node’s heartbeats say. */
  class: string;
  region: string;
  label: string;
  node: string;
  /** Of a registration that ended; its payment can be found by it. */
  earlier: string;
  /** Idempotency key of this set of answers: sent twice, they make one registration. */
  key: string;
}

/**
 * The field of the last step for the id of the registration that `earlier` is the note of. It is a secret: it is
 * never in a URL, and only a browser that has it saved fills it in.
 */
export const EARLIER_ID = 'earlierId';

/** A key as the server makes it; any other in the URL is ignored. */
const KEY = /^[\w-]{16,64}$/;

/** Longest text that is read of each, characters. The server reports answers that are too long by their own rules. */
const MAX = {
  name: 64,
  typed: 64,
  class: 1,
  region: 64,
  label: 128,
  node: 128,
  earlier: 64,
  key: 64,
};

const EMPTY: WizardAnswers = {
  step: 'name',
  name: '',
  typed: '',
  // Both cost the same as one, and none can be added later.
  kinds: [...KINDS],
  class: '',
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
  const [name, typed] = [text('name'), text('typed')];
  return {
    step: STEPS.find((each) => each === step) ?? EMPTY.step,
    name,
    typed: typed === name ? '' : typed,
    // Unticked boxes send nothing; their form sends an empty one, which shows that they were there.
    kinds: kinds.length > 0 ? KINDS.filter((kind) => kinds.includes(kind)) : EMPTY.kinds,
    class: text('class'),
    region: regionCode(text('region')),
    label: text('label'),
    node: text('node'),
    earlier: text('earlier'),
    key: KEY.test(key) ? key : '',
  };
}

/** "EU, Europe", as regions are suggested, is EU. */
const regionCode = (text: string): string => text.replace(/,.*/, '').trim().toUpperCase();

const TEXTS = ['class', 'region', 'label', 'node', 'earlier', 'key'] as const;

/** The same as parameters, without the defaults. */
export function answerFields(answers: WizardAnswers): [string, string][] {
  const { step, name, typed, kinds } = answers;
  const texts: [string, string][] = [
    ['step', step === EMPTY.step ? '' : step],
    ['name', name],
    ['typed', typed],
    ...TEXTS.map((field): [string, string] => [field, answers[field]]),
  ];
  const chosen = kinds.length === 0 ? ['none'] : kinds;
  const isDefault = kinds.length === EMPTY.kinds.length;
  return [
    ...texts.filter(([, value]) => value !== ''),
    ...(isDefault ? [] : chosen.map((kind): [string, string] => ['kinds', kind])),
  ];
}

/** The URL of a step with these answers. Leave the key out for another set of answers, which gets its own. */
export function wizardHref(answers: Partial<WizardAnswers>): string {
  const query = new URLSearchParams(answerFields({ ...EMPTY, ...answers })).toString();
  return query === '' ? hrefs.register() : `${hrefs.register()}?${query}`;
}

/** The details of a registration. */
export type Details = Pick<WizardAnswers, 'class' | 'region' | 'label'>;

/** What is registered: what the operator entered, else what the node’s heartbeats say, else the defaults. */
export function detailsOf(answers: WizardAnswers, reported: Details | null | undefined): Details {
  return {
    class: answers.class || reported?.class || 'S',
    region: answers.region || reported?.region || UNKNOWN_REGION,
    label: answers.label || reported?.label || answers.name,
  };
}

/**
 * The answers without the details that are as they would be anyway: a form sends what it was filled in with, and that
 * follows the node.
 */
export function ownAnswers(
  answers: WizardAnswers,
  reported: Details | null | undefined,
): WizardAnswers {
  const unsaid = detailsOf({ ...answers, class: '', region: '', label: '' }, reported);
  const own = (field: keyof Details) => (answers[field] === unsaid[field] ? '' : answers[field]);
  return { ...answers, class: own('class'), region: own('region'), label: own('label') };
}

/** Whether a name is spelled as one. */
export const isName = (text: string): boolean => /^[a-z0-9][\w-]{0,30}[a-z0-9]$/i.test(text);

export const CLASS_LABELS: Record<NodeClass, { title: string; text: string }> = {
  S: { title: 'S, small', text: 'Single-board computer or laptop' },
  M: { title: 'M, medium', text: 'Desktop or home server' },
  L: { title: 'L, large', text: 'Large server, or several as one' },
};

/** "EU, Europe", or only the code where its meaning is unknown. */
export function regionChoice(code: string): string {
  const name = regionName(code);
  return name === null ? code : `${code}, ${name}`;
}

/** The hold in short: "48 h", or in words where it is no whole number of hours. */
export const hours = (ms: number): string =>
  ms % 3_600_000 === 0 ? `${ms / 3_600_000} h` : span(ms);

/** "Node and compute offer". */
export const kindsText = (kinds: readonly Kind[]): string =>
  kinds.length === 2 ? 'Node and compute offer' : kinds[0] === 'node' ? 'Node' : 'Compute offer';

/** The answers that made a registration, to start another one. */
export const answersOf = ({ name, kinds, class: size, region, label, nodeId }: Registration) => ({
  name,
  kinds,
  class: size,
  region: region === UNKNOWN_REGION ? '' : region,
  label: label === name ? '' : label,
  node: nodeId,
});
