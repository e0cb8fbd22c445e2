import { json, type ActionFunctionArgs, type TypedResponse } from '@remix-run/node';
import { readAtMost } from './request-body.server.ts';
import { AppError, ERROR_STATUS, isAppError } from '#server/common/errors.schema.ts';
import { typedIn, type FormError } from './form-error.ts';

export type { FormError } from './form-error.ts';

/** Forms: the checks that come first, and errors as the page shows them. */

/** Larger than any form of ours but an upload, bytes. */
const FORM_BYTES = 64 * 1024;

/**
 * Reads a form and does what it asks for (server/http/app.ts has seen to it that a page of ours sent it). An error of ours becomes a
 * {@link FormError} with its status; anything else is a mistake and goes on.
 * @param limit bytes
 * @param allow what comes before the form is read: who sends it. What it answers is the answer.
 */
export async function submit<T>(
  { request, context }: ActionFunctionArgs,
  work: (form: FormData) => Promise<T>,
  limit = FORM_BYTES,
  allow?: () => Promise<TypedResponse<FormError> | null>,
): Promise<T | TypedResponse<FormError>> {
  let form = new FormData();
  try {
    const refused = await allow?.();
    if (refused) return refused;
    form = await readForm(request, limit);
    return await work(form);
  } catch (error) {
    if (!isAppError(error)) throw error;
    context.error = error;
    const status = ERROR_STATUS[error.code];
    return json<FormError>(
      {
        error: error.message,
        code: error.code,
        fields: Object.fromEntries(
          (error.issues ?? []).map(({ path, message }) => [path, message]),
        ),
        values: typedIn(form),
      },
      {
        status,
        ...(error.retryAfter !== undefined && {
          headers: { 'retry-after': String(error.retryAfter) },
        }),
      },
    );
  }
}

/** The fields of a form of at most `limit` bytes, however it says its length. */
async function readForm(request: Request, limit: number): Promise<FormData> {
  const body = await readAtMost(request, limit);
  const headers = { 'content-type': request.headers.get('content-type') ?? '' };
  try {
    return await new Response(new Uint8Array(body), { headers }).formData();
  } catch {
    throw new AppError('invalid_body', 'This is not a form. Open the page again and send it anew.');
  }
}

/** What was typed into a field; empty where there is none. */
export function textOf(form: FormData, name: string): string {
  const value = form.get(name);
  // The database takes no NUL.
  return typeof value === 'string' ? value.replaceAll('\0', '') : '';
}
