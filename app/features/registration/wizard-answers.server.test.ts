import { expect, test } from 'vitest';
import { reachableStep, stepErrors, type NameCheck } from './wizard-answers.server.ts';
import { STEPS, type Step } from './wizard.ts';

const named = (problem: NameCheck['problem']): NameCheck => ({
  name: 'shed',
  problem,
  message: '',
  alternatives: [],
});
const reached = (name: NameCheck | null, errors = {}) =>
  STEPS.map((asked): Step => reachableStep(asked, name, errors));

test('every step is shown that is asked for once the answers before it are right', () => {
  expect(reached(named(null))).toEqual(['name', 'node', 'details', 'check']);
});

test('without a name, no later step is shown', () => {
  expect(reached(null)).toEqual(['name', 'name', 'name', 'name']);
});

test.each(['taken', 'reserved', 'invalid'] as const)(
  'a name that is %s leads back to its step, whatever else is wrong',
  (problem) => {
    expect(reached(named(problem))).toEqual(['name', 'name', 'name', 'name']);
    expect(reached(named(problem), { node: 'Choose a node.' })).toEqual([
      'name',
      'name',
      'name',
      'name',
    ]);
  },
);

test('a name that can’t be checked now holds nobody up: the start checks it', () => {
  expect(reached(named('unknown'))).toEqual(['name', 'node', 'details', 'check']);
});

test('what is wrong is shown on its step, and later ones wait for it', () => {
  expect(reached(named(null), { kinds: 'Choose.' })).toEqual(['name', 'name', 'name', 'name']);
  expect(reached(named(null), { node: 'Choose.' })).toEqual(['name', 'node', 'node', 'node']);
  const region = { region: 'It is wrong.' };
  expect(reached(named(null), region)).toEqual(['name', 'node', 'details', 'details']);
  expect(reached(named(null), { node: 'Choose.', ...region })[3]).toBe('node');
});

test('an answer is wrong once its step is left; the details as they are entered', () => {
  const errors = { kinds: 'k', node: 'n', label: 'l' };
  expect(stepErrors('name', 'name', errors)).toEqual({});
  expect(stepErrors('name', 'node', errors)).toEqual({ kinds: 'k' });
  expect(stepErrors('node', 'node', errors)).toEqual({});
  expect(stepErrors('node', 'check', errors)).toEqual({ node: 'n' });
  expect(stepErrors('details', 'details', errors)).toEqual({ label: 'l' });
  expect(stepErrors('check', 'check', errors)).toEqual({});
});
