import { useEffect, useState } from 'react';
import button from './button.module.css';
import { CopyIcon } from './icons.tsx';

/** How long (ms) the button shows the result. */
const SAID_MS = 4000;

/** Copies a text. Without scripts or access to the clipboard, the text can still be selected. */
export function CopyButton({ text, label = 'Copy' }: CopyButtonProps) {
  const [said, copy] = useCopy(text);
  return (
    <button
      type="button"
      className={`${button.button} needs-scripts`}
      data-said={said !== ''}
      onClick={copy}
    >
      <CopyIcon />
      <span aria-live="polite">{said || label}</span>
    </button>
  );
}

/** The same as a sign beside a short text, such as an id. @param props.label what it copies, for screen readers */
export function CopySign({ text, label }: Required<CopyButtonProps>) {
  const [said, copy] = useCopy(text);
  return (
    <>
      <button
        type="button"
        className={`${button.sign} needs-scripts`}
        title={label}
        aria-label={label}
        onClick={copy}
      >
        <CopyIcon />
      </button>
      <span className={button.said} role="status">
        {said}
      </span>
    </>
  );
}

interface CopyButtonProps {
  text: string;
  label?: string;
}

/** @returns what has come of it, for a while, and what copies */
function useCopy(text: string): [said: string, copy: () => void] {
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
  return [said, () => void copy()];
}
