import { useId, useRef, type FocusEvent, type ReactNode } from 'react';
import { GLOSSARY, type TermId } from '#app/lib/glossary.ts';
import * as hrefs from '#app/lib/hrefs.ts';
import { POPOVER, popoverTarget } from '#app/lib/remix-workarounds/popover.ts';
import { Link } from './link.tsx';
import styles from './term.module.css';

interface TermProps {
  id: TermId;
  /** The word as it stands there, such as `S`; by default as the glossary writes it. */
  children?: ReactNode;
}

/** How long the pointer may be between the word and what explains it, milliseconds. */
const LEAVE_MS = 200;
/** From the word to its explanation, and from there to the edges of the window, px. */
const [GAP, EDGE] = [6, 12];

/**
 * A word that explains itself: on hover, on focus, and when it is pressed, until Escape or a press elsewhere. Without scripts a
 * press opens it, too. It is a button: not for the inside of links, labels and buttons.
 */
export function Term({ id, children }: TermProps) {
  const tipId = useId();
  const word = useRef<HTMLButtonElement>(null);
  const tip = useRef<HTMLSpanElement>(null);
  /** Whether a press has opened it, so that it stays when the pointer leaves. */
  const kept = useRef(false);
  const leaving = useRef<ReturnType<typeof setTimeout>>();
  const { term, meaning } = GLOSSARY[id];

  const isOpen = () => tip.current?.matches(':popover-open') ?? false;
  const open = () => {
    clearTimeout(leaving.current);
    if (!word.current || !tip.current || isOpen()) return;
    tip.current.classList.add(styles.placed ?? '');
    // Browsers from before popovers keep to the link in the glossary's own page.
    tip.current.showPopover?.();
    place(word.current, tip.current);
    document.addEventListener('scroll', close, { capture: true, once: true });
  };
  const close = () => {
    clearTimeout(leaving.current);
    kept.current = false;
    if (isOpen()) tip.current?.hidePopover();
  };
  const leave = () => {
    clearTimeout(leaving.current);
    leaving.current = setTimeout(() => !kept.current && close(), LEAVE_MS);
  };
  const hover = {
    onPointerEnter: ({ pointerType }: { pointerType: string }) => pointerType === 'mouse' && open(),
    onPointerLeave: ({ pointerType }: { pointerType: string }) =>
      pointerType === 'mouse' && leave(),
  };
  const blur = ({ relatedTarget }: FocusEvent) => {
    if (!tip.current?.contains(relatedTarget) && relatedTarget !== word.current) close();
  };
  return (
    <span className={styles.term} onBlur={blur} {...hover}>
      <button
        ref={word}
        type="button"
        className={styles.word}
        aria-describedby={`${tipId}-meaning`}
        {...popoverTarget(tipId)}
        onFocus={() => word.current?.matches(':focus-visible') && open()}
        onClick={(event) => {
          // The browser would close what the focus or the pointer has just opened.
          event.preventDefault();
          if (kept.current && isOpen()) return close();
          open();
          kept.current = true;
        }}
      >
        {children ?? term}
      </button>
      <span ref={tip} id={tipId} className={styles.tip} {...POPOVER}>
        <strong>{term}</strong>
        <span id={`${tipId}-meaning`}>{meaning}</span>{' '}
        <Link to={hrefs.docs.glossary(id)}>All terms</Link>
      </span>
    </span>
  );
}

/** Puts the explanation below the word, or above it where there is more room, within the window. */
function place(word: HTMLElement, tip: HTMLElement): void {
  const at = word.getBoundingClientRect();
  const { offsetWidth, offsetHeight } = tip;
  const below = at.bottom + GAP;
  const fits = below + offsetHeight <= window.innerHeight - EDGE;
  const top = fits ? below : Math.max(EDGE, at.top - GAP - offsetHeight);
  const left = Math.max(EDGE, Math.min(at.left, window.innerWidth - offsetWidth - EDGE));
  tip.style.setProperty('--top', `${top}px`);
  tip.style.setProperty('--left', `${left}px`);
}
