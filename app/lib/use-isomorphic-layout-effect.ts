import { useEffect, useLayoutEffect } from 'react';

/** A layout effect in the browser; none on the server, where React would warn about it. */
export const useIsomorphicLayoutEffect =
  typeof window === 'undefined' ? useEffect : useLayoutEffect;
