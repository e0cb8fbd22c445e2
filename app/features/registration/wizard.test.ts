import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { KINDS } from '@mesh-registry/protocol/values.schema.ts';
import type { Registration } from '@mesh-registry/protocol/rest/register.schema.ts';
import {
  answersOf,
  detailsOf,
  isName,
  ownAnswers,
  readAnswers,
  regionChoice,
  STEPS,
  wizardHref,
  type WizardAnswers,
} from './wizard.ts';

const read = (search: string) => readAnswers(new URLSearchParams(search));
const readHref = (href: string) => readAnswers(new URL(href, 'http://localhost').searchParams);
const EMPTY = read('');

/** As somebody may have entered it, with what URLs encode; no spaces around it. */
const text = (maxLength: number) =>
  fc
    .string({ maxLength: maxLength / 2, unit: fc.constantFrom(...'aZ9 -_&=+%#/?é日🙂') })
    .map((entered) => entered.trim());
const anyAnswers: fc.Arbitrary<WizardAnswers> = fc
  .record({
    step: fc.constantFrom(...STEPS),
    name: text(64),
    typed: text(64),
    kinds: fc.subarray([...KINDS]),
    class: fc.constantFrom('', 'S', 'M', 'L', 'X'),
    region: text(32).map((region) => region.toUpperCase()),
    label: text(128),
    node: text(128),
    earlier: text(64),
    key: fc.constantFrom('', '0f8fad5b-d9cb-469f-a165-70867728950e'),
  })
  .map((answers) => ({ ...answers, typed: answers.typed === answers.name ? '' : answers.typed }));

describe('the URL of the wizard', () => {
  test('is plain before anything is answered, and asks for the name first', () => {
    expect(wizardHref({})).toBe('/register');
    expect(EMPTY).toEqual({
      step: 'name',
      name: '',
      typed: '',
      kinds: ['node', 'compute'],
      class: '',
      region: '',
      label: '',
      node: '',
      earlier: '',
      key: '',
    });
  });

  test('restores every answer on every step, as after Back, a reload or in another tab', () => {
    fc.assert(
      fc.property(anyAnswers, (answers) => {
        expect(readHref(wizardHref(answers))).toEqual(answers);
      }),
      { numRuns: 300 },
    );
  });

  test('leaves out what is not answered', () => {
    expect(wizardHref({ step: 'node', name: 'shed' })).toBe('/register?step=node&name=shed');
    expect(wizardHref({ ...EMPTY, name: 'shed', class: 'L', kinds: ['node'] })).toBe(
      '/register?name=shed&class=L&kinds=node',
    );
  });

  test('says that no kind is chosen', () => {
    const href = wizardHref({ name: 'shed', kinds: [] });
    expect(href).toBe('/register?name=shed&kinds=none');
    expect(readHref(href).kinds).toEqual([]);
  });

  test.each(['step=pay', 'step=', 'step=Check', 'key=short', 'key=has%20spaces%20in%20it', 'x=1'])(
    '%s is invalid and counts as absent',
    (search) => expect(read(search)).toEqual(EMPTY),
  );

  test('has a key only in the length of ours', () => {
    expect([15, 16, 64].map((length) => read(`key=${'k'.repeat(length)}`).key.length)).toEqual([
      0, 16, 64,
    ]);
  });
});

describe('an answer', () => {
  test('has no spaces around it and no control characters in it, and regions are in capitals', () => {
    expect(read('name=%20shed%0A&label=%09my%00%20shed%20&region=%20us-west')).toMatchObject({
      name: 'shed',
      label: 'my shed',
      region: 'US-WEST',
    });
  });

  test('is cut where no rule allows more, but keeps what the server has to report as too long', () => {
    const long = 'x'.repeat(500);
    const {
      name,
      class: size,
      region,
      label,
      node,
      earlier,
    } = read(
      ['name', 'class', 'region', 'label', 'node', 'earlier']
        .map((field) => `${field}=${long}`)
        .join('&'),
    );
    expect([name, size, region, label, node, earlier].map((answer) => answer.length)).toEqual([
      64, 1, 64, 128, 128, 64,
    ]);
  });

  test('that isn’t text counts as absent', () => {
    const form = new FormData();
    form.set('name', new File(['x'], 'shed'));
    form.set('step', new File(['x'], 'check'));
    expect(readAnswers(form)).toEqual(EMPTY);
  });

  test('of a kind that doesn’t exist is ignored, and kinds are in one order, each once', () => {
    expect(read('kinds=compute&kinds=gpu&kinds=node&kinds=compute').kinds).toEqual([
      'node',
      'compute',
    ]);
    expect(read('kinds=gpu').kinds).toEqual([]);
  });

  test('of unticked kinds is none where their boxes were shown, and both where they weren’t', () => {
    expect(read('class=M&kinds=').kinds).toEqual([]);
    expect(read('name=shed&class=M').kinds).toEqual(['node', 'compute']);
  });
});

test('the name that was typed is kept where another one was chosen', () => {
  expect(read('name=whisper&typed=garage').typed).toBe('garage');
  expect(read('name=garage&typed=garage').typed).toBe('');
});

test('a region may be sent as it is suggested', () => {
  expect(regionChoice('EU')).toBe('EU, Europe');
  expect(regionChoice('US-WEST')).toBe('US-WEST');
  for (const code of ['EU', 'DE', 'NA', 'US-WEST', 'ZZ'])
    expect(read(`region=${encodeURIComponent(regionChoice(code))}`).region).toBe(code);
});

test.each([
  ['ab', true],
  ['Garage_2', true],
  ['g'.repeat(32), true],
  ['a', false],
  ['-garage', false],
  ['garage-', false],
  ['my garage', false],
  ['garäge', false],
  ['\u212aelvin', false],
  ['g'.repeat(33), false],
])('%s is spelled as a name: %s', (name, is) => {
  expect(isName(name)).toBe(is);
});

describe('what a node reports', () => {
  const reported = { class: 'L', region: 'EU', label: 'Down there' };
  const answers = { ...EMPTY, name: 'shed', node: 'node_a' };

  test('is registered where the operator entered nothing', () => {
    expect(detailsOf(answers, reported)).toEqual(reported);
    expect(detailsOf({ ...answers, class: 'M', label: 'Mine' }, reported)).toEqual({
      class: 'M',
      region: 'EU',
      label: 'Mine',
    });
  });

  test('is replaced by defaults where nothing is known', () => {
    const defaults = { class: 'S', region: 'ZZ', label: 'shed' };
    expect(detailsOf(answers, null)).toEqual(defaults);
    expect(detailsOf(answers, { class: 'S', region: '', label: '' })).toEqual(defaults);
  });

  test('is no answer of the operator, though a form sends it', () => {
    const sent = { ...answers, ...reported };
    expect(ownAnswers(sent, reported)).toEqual(answers);
    expect(ownAnswers({ ...sent, label: 'Mine' }, reported)).toEqual({ ...answers, label: 'Mine' });
    // So it follows the node, and what was entered stays.
    const other = { class: 'M', region: 'NA', label: 'Up there' };
    expect(detailsOf(ownAnswers(sent, reported), other)).toEqual(other);
    expect(detailsOf(ownAnswers({ ...sent, region: 'AS' }, reported), other).region).toBe('AS');
    expect(ownAnswers({ ...answers, class: 'S', region: 'ZZ', label: 'shed' }, null)).toEqual(
      answers,
    );
  });
});

test('a registration that has ended is started again with the same answers and a key of its own', () => {
  const registration = {
    name: 'shed',
    kinds: ['compute'],
    class: 'M',
    region: 'ZZ',
    label: 'shed',
    nodeId: 'node_shed',
  } as Registration;
  const restarted = (changed: Partial<Registration>) =>
    readHref(wizardHref({ ...answersOf({ ...registration, ...changed }), step: 'check' }));
  // The label was not given, and the region neither.
  expect(restarted({})).toEqual({
    ...EMPTY,
    step: 'check',
    name: 'shed',
    kinds: ['compute'],
    class: 'M',
    node: 'node_shed',
  });
  expect(restarted({ region: 'EU', label: 'My shed' })).toMatchObject({
    region: 'EU',
    label: 'My shed',
  });
});
