import { useEffect, useRef, useState } from 'react';
import { useLatest } from '#app/lib/polling.ts';

/** A screen reader announces changes at most this often (ms), because a network changes all the time. */
const PAUSE_MS = 20_000;

/** Announces a text politely when it changes. The first text isn't announced: the page shows it anyway. */
export function LiveRegion({ text }: { text: string }) {
  const [announced, setAnnounced] = useState('');
  const latest = useLatest(text);
  const known = useRef(text);
  useEffect(() => {
    const timer = setInterval(() => {
      if (known.current === latest.current) return;
      known.current = latest.current;
      setAnnounced(latest.current);
    }, PAUSE_MS);
    return () => clearInterval(timer);
  }, [latest]);
  return (
    <p className="visually-hidden" aria-live="polite">
      {announced}
    </p>
  );
}
