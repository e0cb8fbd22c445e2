import { data, type ActionFunctionArgs } from '@remix-run/node';
import { AppError, ERROR_STATUS, isAppError } from '#server/common/errors.schema.ts';
import { safeValues, type FormError } from './form-error.ts';

/** Larger than any form but an upload, bytes. */
const FORM_BYTES = 64 * 1024;

/** A refused form as an action answers it. */
export type RefusedForm = ReturnType<typeof refusedForm>;

/**
 * Reads a form and does what it asks for. (The server has checked that one of our own pages sent it.) An
 * expected error becomes a {@link FormError} with its status; any other is thrown on.
 * @param limit bytes
 * @param allow runs before the form is read, to check who sends it; what it returns is the answer
 */
export async function handleForm<T>(
  { request, context }: ActionFunctionArgs,
  work: (form: FormData) => Promise<T>,
  limit = FORM_BYTES,
  allow?: () => Promise<RefusedForm | null>,
): Promise<T | RefusedForm> {
  let form = new FormData();
  try {
    const refused = await allow?.();
    if (refused) return refused;
    form = await readForm(request, await context.readBody(request, limit));
    return await work(form);
  } catch (error) {
    if (!isAppError(error)) throw error;
    context.error = error;
    return refusedForm(error, safeValues(form));
  }
}

/** @param more that the page needs to show the form again */
export function refusedForm<More extends object = object>(
  error: AppError,
  values: FormError['values'],
  more = {} as More,
) {
  return data<FormError & More>(
    {
      error: error.message,
      code: error.code,
      fields: Object.fromEntries((error.issues ?? []).map(({ path, message }) => [path, message])),
      values,
      ...more,
    },
    {
      status: ERROR_STATUS[error.code],
      ...(error.retryAfter !== undefined && {
        headers: { 'retry-after': String(error.retryAfter) },
      }),
    },
  );
}

/** The fields of a form. */
async function readForm(request: Request, body: Buffer): Promise<FormData> {
  const headers = { 'content-type': request.headers.get('content-type') ?? '' };
  try {
    return await new Response(new Uint8Array(body), { headers }).formData();
  } catch {
    throw new AppError(
      'invalid_body',
      'The form could not be read. Reload the page and try again.',
    );
  }
}

/** The text fields of a form as a procedure takes them: the last value of each name. The database takes no NUL. */
export const formValues = (form: FormData): Record<string, string> =>
  Object.fromEntries(
    [...form].flatMap(([name, value]) =>
      typeof value === 'string' ? [[name, value.replaceAll('\0', '')]] : [],
    ),
  );

/** For an action that got a form whose `intent` it doesn't know. */
export const unknownIntent = () =>
  new AppError('invalid_body', 'The page is out of date. Reload it and try again.');

/**
 * Does what the `intent` of a form asks for.
 * @param commands what each intent of the page's forms does
 * @throws AppError `invalid_body` for any other intent
 */
export async function runIntent<Commands extends Record<string, () => Promise<unknown>>>(
  form: FormData,
  commands: Commands,
): Promise<Awaited<ReturnType<Commands[keyof Commands]>>> {
  const { intent = '' } = formValues(form);
  const command = Object.hasOwn(commands, intent) ? commands[intent] : undefined;
  if (!command) throw unknownIntent();
  return (await command()) as Awaited<ReturnType<Commands[keyof Commands]>>;
}
