import { useEffect, useRef } from 'react';

/**
 * For a heading that takes the focus, so that keyboard and screen reader continue below it.
 * @param answer what its section is about: the focus moves with every new one
 */
export function useFocusOnAnswer(answer: object | null) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (answer) heading.current?.focus();
  }, [answer]);
  return heading;
}
