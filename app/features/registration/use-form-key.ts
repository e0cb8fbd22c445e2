import { useLocation, useNavigationType } from '@remix-run/react';
import { useState } from 'react';

/**
 * A key for a form whose answers are kept in the URL: the same while the URL is only replaced, another one
 * after each navigation, when the form starts with what the URL says.
 */
export function useFormKey(): string {
  const { key } = useLocation();
  const navigated = (useNavigationType() as string) !== 'REPLACE';
  const [kept, setKept] = useState(key);
  if (navigated && kept !== key) setKept(key);
  return navigated ? key : kept;
}
