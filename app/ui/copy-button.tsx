import { useEffect, useState } from 'react';
import button from './button.module.css';

/** How long (ms) the button says that it worked. */
const SAID_MS = 2000;

/** Copies a text. Where scripts or the clipboard are missing the text can be selected as ever. */
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
        () => setSaid('Select it and copy by hand'),
      );
  return (
    <button type="button" className={`${button.button} needs-scripts`} onClick={() => void copy()}>
      <span aria-live="polite">{said || label}</span>
    </button>
  );
}
