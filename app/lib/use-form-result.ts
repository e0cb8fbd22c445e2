import { useActionData, useLocation, useMatches } from '@remix-run/react';
import { useState } from 'react';
import { isFormError, type FormError } from './form-error.ts';
import { keptOf } from './stale-while-offline.ts';

/**
 * What the last form of this page was answered, for a page that refreshes itself: useActionData forgets
 * the answer with every refresh. This keeps it until the page is asked for something else.
 * @param about the state of what the form was about: the answer is forgotten once a refresh shows another.
 * @param settled what to say instead of a form that had no answer, once a refresh has: it stands as it is said
 *   first where there is none
 */
export function useAnswer<T>(
  about: string,
  settled?: (sent: FormError['values']) => string,
): ReturnType<typeof useActionData<T>> {
  type Answer = ReturnType<typeof useActionData<T>>;
  const data = useActionData<T>();
  // A form that was answered is a navigation, and so has a key of its own; a refresh is none.
  const { key } = useLocation();
  const page = useMatches().at(-1)?.data;
  const [kept, setKept] = useState({ key, about, data, page, says: data });
  if (key === kept.key && about === kept.about && (data === undefined || data === kept.data)) {
    const { says } = kept;
    if (!settled || !isFormError(says) || !says.lost || page === kept.page || keptOf(page))
      return says;
    const { lost: _, ...rest } = says;
    const known = { ...rest, error: settled(says.values) } as Answer;
    setKept({ ...kept, page, says: known });
    return known;
  }
  setKept({ key, about, data, page, says: data });
  return data;
}
