import { useEffect, useLayoutEffect } from 'react';

/**
 * A layout effect in the browser; none on the server, where React 18 would warn about it. React 19 doesn't warn: then
 * this is `useLayoutEffect`.
 */
export const useIsomorphicLayoutEffect =
  typeof window === 'undefined' ? useEffect : useLayoutEffect;
