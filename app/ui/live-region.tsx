import { useEffect, useRef, useState } from 'react';

/** A screen reader hears of changes at most this often (ms): a network changes all the time. */
const PAUSE_MS = 20_000;

/** Reads a text out politely when it has changed; never the first one, which is on the page anyway. */
export function LiveRegion({ text }: { text: string }) {
  const [said, setSaid] = useState('');
  const latest = useRef(text);
  const heard = useRef(text);
  latest.current = text;
  useEffect(() => {
    const timer = setInterval(() => {
      if (heard.current === latest.current) return;
      heard.current = latest.current;
      setSaid(latest.current);
    }, PAUSE_MS);
    return () => clearInterval(timer);
  }, []);
  return (
    <p className="visually-hidden" aria-live="polite">
      {said}
    </p>
  );
}
