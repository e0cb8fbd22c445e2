import { useEffect, useState } from 'react';
import button from './button.module.css';

/** How long (ms) the button shows the result. */
const SAID_MS = 4000;

/** Copies a text. Without scripts or access to the clipboard, the text can still be selected. */
export function CopyButton({ text, label = 'Copy' }: { text: string; label?: string }) {
  const [said, setSaid] = useState('');
  useEffect(() => {
    if (!said) return;
    const timer = setTimeout(() => setSaid(''), SAID_MS);
    return () => clearTimeout(timer);
  }, [said]);
  const copy = () =>
    Promise.resolve()
      .then(() => navigator.clipboard.writeText(text))
      .then(
        () => setSaid('Copied'),
        () => setSaid('Couldn’t copy. Select the text instead.'),
      );
  return (
    <button type="button" className={`${button.button} needs-scripts`} onClick={() => void copy()}>
      <span aria-live="polite">{said || label}</span>
    </button>
  );
}
