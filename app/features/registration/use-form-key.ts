import { useLocation, useNavigationType } from '@remix-run/react';
import { useRef } from 'react';

/**
 * A key for a form whose address follows what is typed: the same for as long as the address is only
 * replaced, another one for each place that was gone to, where the form begins with what the address says.
 */
export function useFormKey(): string {
  const { key } = useLocation();
  const type: string = useNavigationType();
  const kept = useRef(key);
  if (type !== 'REPLACE') kept.current = key;
  return kept.current;
}
