import { useActionData, useLocation } from '@remix-run/react';
import { useState } from 'react';

/**
 * What the last form of this page was answered, for a page that refreshes itself: useActionData forgets
 * the answer with every refresh. This keeps it until the page is asked for something else.
 * @param about the state of what the form was about: the answer is forgotten once a refresh shows another
 */
export function useAnswer<T>(about: string): ReturnType<typeof useActionData<T>> {
  const data = useActionData<T>();
  // A form that was answered is a navigation, and so has a key of its own; a refresh is none.
  const { key } = useLocation();
  const [kept, setKept] = useState({ key, about, data });
  if (key === kept.key && about === kept.about && (data === undefined || data === kept.data))
    return kept.data;
  setKept({ key, about, data });
  return data;
}
