/** What a form's page gets back when the form was refused. Made by the server, and by the browser where no answer came. */
export interface FormError {
  error: string;
  code: string;
  /** By field. */
  fields: Record<string, string>;
  /** What had been typed: to stand in the fields again. Without passwords, codes and files. */
  values: Record<string, string>;
  /** No answer came: whether it was done is told by what the page shows once it has another answer. */
  lost?: true;
  /** Where to sign in again; only where the form was refused because nobody is signed in. */
  signIn?: string;
}

/** Never shown again. */
const SECRET_FIELDS = /password|code|token/i;

/** What of a form may stand in its fields again. */
export const typedIn = (form: FormData): FormError['values'] =>
  Object.fromEntries(
    [...form].flatMap(([name, value]) =>
      typeof value === 'string' && !SECRET_FIELDS.test(name) ? [[name, value]] : [],
    ),
  );

/** Whether an action answered that it refused the form. */
export function isFormError(answer: unknown): answer is FormError {
  return typeof answer === 'object' && answer !== null && 'error' in answer && 'values' in answer;
}
