import { expect, test } from 'vitest';
import { reachableStep, type NameCheck } from './wizard-answers.server.ts';
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
  expect(reached(named(null))).toEqual(['name', 'what', 'check']);
});

test('without a name, no later step is shown', () => {
  expect(reached(null)).toEqual(['name', 'name', 'name']);
});

test.each(['taken', 'reserved', 'invalid'] as const)(
  'a name that is %s leads back to its step, whatever else is wrong',
  (problem) => {
    expect(reached(named(problem))).toEqual(['name', 'name', 'name']);
    expect(reached(named(problem), { node: 'Choose a node.' })).toEqual(['name', 'name', 'name']);
  },
);

test('a name that can’t be checked now holds nobody up: the start checks it', () => {
  expect(reached(named('unknown'))).toEqual(['name', 'what', 'check']);
});

test('details that are wrong are shown on their step, and the last one waits for them', () => {
  expect(reached(named(null), { node: 'Choose a node.' })).toEqual(['name', 'what', 'what']);
});
