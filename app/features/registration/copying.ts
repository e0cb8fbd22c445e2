import { useEffect, useRef, useState, type RefObject } from 'react';

/** How long (ms) the result is shown. */
const SAID_MS = 4000;

export type Copied = 'copied' | 'refused' | null;

/**
 * Copies the text of an element. Where the clipboard is refused, the text is selected, so that the visitor can.
 * @returns what has come of it, for a while
 */
export function useCopying<Target extends HTMLElement>(
  text: string,
  done: () => void = () => {},
): { target: RefObject<Target>; copied: Copied; copy: () => void } {
  const target = useRef<Target>(null);
  const [copied, setCopied] = useState<Copied>(null);
  useEffect(() => {
    if (copied === null) return;
    const timer = setTimeout(() => setCopied(null), SAID_MS);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setCopied('copied');
      done();
    } catch {
      if (target.current) getSelection()?.selectAllChildren(target.current);
      setCopied('refused');
    }
  };
  return { target, copied, copy: () => void copy() };
}

/** What copies a selected text here. */
export const byHand = (): string =>
  matchMedia('(pointer: coarse)').matches ? 'Hold to copy' : 'Press Ctrl+C';
