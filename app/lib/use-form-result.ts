import { useActionData, useLocation, useMatches } from '@remix-run/react';
import { useState } from 'react';
import { isFormError, type FormError } from './form-error.ts';
import { staleReason } from './stale-while-offline.ts';

/**
 * The result of the page's last form, for a page that refreshes itself: useActionData forgets it with every
 * refresh. This keeps it until the page is navigated or its subject changes.
 * @param subject the state of what the form was about; once a refresh shows another, the answer is forgotten
 * @param outcome for a form whose answer was lost: what to say once a refresh has shown the outcome
 */
export function useFormResult<T>(
  subject: string,
  outcome?: (sent: FormError['values']) => string,
): ReturnType<typeof useActionData<T>> {
  type Result = ReturnType<typeof useActionData<T>>;
  const data = useActionData<T>();
  // Sending a form is a navigation with a key of its own; a refresh is not.
  const { key } = useLocation();
  const page = useMatches().at(-1)?.data;
  const [kept, setKept] = useState({ key, subject, data, page, result: data });
  const same =
    key === kept.key && subject === kept.subject && (data === undefined || data === kept.data);
  if (!same) {
    setKept({ key, subject, data, page, result: data });
    return data;
  }
  const { result } = kept;
  const settled = page !== kept.page && !staleReason(page);
  if (!outcome || !isFormError(result) || !result.lost || !settled) return result;
  const { lost: _, ...rest } = result;
  const known = { ...rest, error: outcome(result.values) } as Result;
  setKept({ ...kept, page, result: known });
  return known;
}
