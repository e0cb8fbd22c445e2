import { invalid } from '#server/common/errors.schema.ts';
import { LABEL_MAX, sanitizeLabel } from './label.ts';

/**
 * The label as it may be published; null if none was sent or nothing publishable is left of it.
 * @throws AppError `invalid_body` if it is too long
 */
export function publishableLabel(raw: string | undefined): string | null {
  if (raw === undefined) return null;
  const result = sanitizeLabel(raw);
  if (result.ok) return result.label;
  if (result.reason === 'too_long')
    throw invalid('invalid_body', [
      { path: 'label', message: `must be at most ${LABEL_MAX} characters` },
    ]);
  return null;
}
