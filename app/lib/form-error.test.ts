import { expect, test } from 'vitest';
import { formErrorOf, isFormError, safeValues, submissionResult } from './form-error.ts';

const refused = {
  error: 'No.',
  code: 'invalid_body',
  fields: { name: 'The name is taken.' },
  values: { intent: 'add', name: 'shed' },
};

test('what was typed fills the form again, but never passwords, codes, tokens or files', () => {
  const form = new FormData();
  for (const name of ['name', 'password', 'newPassword', 'recoveryCode', 'code', 'inviteToken'])
    form.set(name, 'typed');
  form.set('file', new File(['x'], 'x.csv'));
  expect(safeValues(form)).toEqual({ name: 'typed' });
});

test('only a refusal is one', () => {
  expect(isFormError(refused)).toBe(true);
  for (const answer of [undefined, null, 'error', {}, { error: 'x' }, { values: {} }])
    expect(isFormError(answer)).toBe(false);
});

test('on a page with several forms, a refusal shows at the form that was refused', () => {
  expect(formErrorOf(refused)).toBe(refused);
  expect(formErrorOf(refused, { intent: 'add' })).toBe(refused);
  expect(formErrorOf(refused, { intent: 'add', name: 'attic' })).toBeUndefined();
  expect(formErrorOf(refused, { intent: 'remove' })).toBeUndefined();
  expect(formErrorOf({ done: true }, {})).toBeUndefined();
});

test('each field gets its error and its value', () => {
  expect(submissionResult(refused)).toEqual({
    status: 'error',
    initialValue: refused.values,
    error: { name: ['The name is taken.'] },
  });
});
