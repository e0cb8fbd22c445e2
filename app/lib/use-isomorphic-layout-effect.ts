import { useEffect, useLayoutEffect } from 'react';

/** A layout effect in the browser. On the server there is no layout, and React says so. */
export const useIsomorphicLayoutEffect =
  typeof window === 'undefined' ? useEffect : useLayoutEffect;
