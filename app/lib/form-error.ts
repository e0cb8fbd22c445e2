import type { SubmissionResult } from '@conform-to/react';

/**
 * What a page gets back when its form was refused. The server makes it, and the browser where no answer
 * came.
 */
export interface FormError {
  /** What is wrong, in a sentence. */
  error: string;
  code: string;
  /** What is wrong with each field, by its name. */
  fields: Record<string, string>;
  /** What had been typed, to fill the fields again. Without passwords, codes and files. */
  values: Record<string, string>;
  /** No answer came. Whether it was done shows once the page has another answer. */
  lost?: true | undefined;
  /** Where to sign in again; only where the form was refused because the session has ended. */
  signIn?: string | undefined;
}

/** Never sent back. */
const SECRET_FIELDS = /password|code|token/i;

/** The part of a form that may fill its fields again. */
export const safeValues = (form: FormData): FormError['values'] =>
  Object.fromEntries(
    [...form].flatMap(([name, value]) =>
      typeof value === 'string' && !SECRET_FIELDS.test(name) ? [[name, value]] : [],
    ),
  );

/** Whether an action answered that it refused the form. */
export function isFormError(answer: unknown): answer is FormError {
  return typeof answer === 'object' && answer !== null && 'error' in answer && 'values' in answer;
}

/**
 * What an action answered, if it refused the form.
 * @param answer from useActionData, or from useFormResult on a page that refreshes itself
 * @param match fields of the form, such as its intent: on a page with several forms, only the refusal of that one
 */
export function formErrorOf(
  answer: unknown,
  match: Record<string, string> = {},
): FormError | undefined {
  if (!isFormError(answer)) return undefined;
  const matches = Object.entries(match).every(([name, value]) => answer.values[name] === value);
  return matches ? answer : undefined;
}

/** As conform takes it. */
export const submissionResult = ({
  fields,
  values,
}: Pick<FormError, 'fields' | 'values'>): SubmissionResult => ({
  status: 'error',
  initialValue: values,
  error: Object.fromEntries(Object.entries(fields).map(([name, message]) => [name, [message]])),
});
