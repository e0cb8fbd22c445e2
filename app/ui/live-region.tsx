import { useEffect, useRef, useState } from 'react';
import { useLatest } from '#app/lib/polling.ts';

/** How long a change rests before it is said, ms: answers arrive, and someone may go on choosing. */
const REST_MS = 600;

interface LiveRegionProps {
  /** What the text is about. Only when this changes is the text said, not whenever a number in it does. */
  about: string;
  /** Nothing is said if it is empty. */
  text: string;
}

/** Says a text politely to screen readers once what it is about has changed; not at first, when the page shows it anyway. */
export function LiveRegion({ about, text }: LiveRegionProps) {
  const [said, setSaid] = useState('');
  const latest = useLatest(text);
  const known = useRef(about);
  useEffect(() => {
    if (known.current === about) return;
    const timer = setTimeout(() => {
      known.current = about;
      setSaid(latest.current);
    }, REST_MS);
    return () => clearTimeout(timer);
  }, [about, latest]);
  return (
    <p className="visually-hidden" aria-live="polite">
      {said}
    </p>
  );
}
