import { useEffect, useRef, useState } from 'react';

/** Says a sentence when it has become another one while the page was open; never the first. */
export function Said({ text }: { text: string }) {
  const [said, setSaid] = useState('');
  const before = useRef(text);
  useEffect(() => {
    if (before.current === text) return;
    before.current = text;
    setSaid(text);
  }, [text]);
  return (
    <p className="visually-hidden" aria-live="assertive">
      {said}
    </p>
  );
}
