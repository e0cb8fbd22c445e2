import {
  forwardRef,
  useEffect,
  useImperativeHandle,
  useRef,
  useState,
  type FocusEvent,
  type KeyboardEvent,
  type MouseEvent,
  type PointerEvent,
  type ReactNode,
} from 'react';
import { sheetHeights, STOPS, type Stop } from './sheet-heights.ts';
import styles from './sheet.module.css';

/** A pointer that moves less than this is a click, px. */
const DRAG_THRESHOLD = 6;

interface Drag {
  pointer: number;
  startY: number;
  startHeight: number;
  moved: boolean;
}

export interface SheetProps {
  /** Of its place where the window is too wide for a sheet. */
  className?: string | undefined;
  /** What is open in it; null: nothing. It rises for what opens. */
  opened: string | null;
  children: ReactNode;
  [data: `data-${string}`]: boolean | undefined;
}

/**
 * Below the breakpoint `--sheet`, what lies over the lower end of its parent, with three heights; otherwise a part of
 * the page like any other. It can be dragged, at its full height by its head only (`data-sheet-head`), because then it
 * scrolls. Its button goes one height up, and from the top down again; the arrow keys and Escape go one at a time.
 */
export const Sheet = forwardRef<HTMLDivElement, SheetProps>(function Sheet(
  { className, opened, children, ...data },
  ref,
) {
  const sheet = useRef<HTMLDivElement>(null);
  useImperativeHandle(ref, () => sheet.current as HTMLDivElement);
  const body = useRef<HTMLDivElement>(null);
  const drag = useRef<Drag | null>(null);
  /** The browser sends a click after a drag as well. */
  const ignoreClick = useRef(false);
  // A page that opens with something begins at its height: what is drawn above measures it once.
  const [stop, setStop] = useState<Stop>(opened === null ? 'peek' : 'half');
  const [dragging, setDragging] = useState(false);
  /** What opened has raised it, so it sinks again with that. */
  const [raised, setRaised] = useState(opened !== null);
  const [openedBefore, setOpenedBefore] = useState(opened);
  // At once with what opens: what is drawn above moves to the middle of what will be free.
  if (opened !== openedBefore) {
    setOpenedBefore(opened);
    if (opened !== null && stop === 'peek') {
      setRaised(true);
      setStop('half');
    } else if (opened === null && raised) {
      setRaised(false);
      setStop('peek');
    }
  }
  // What was scrolled away at the full height would be lost at another one.
  useEffect(() => {
    if (stop !== 'full') body.current?.scrollTo(0, 0);
  }, [stop]);
  const move = (steps: number) => setStop(STOPS[STOPS.indexOf(stop) + steps] ?? stop);

  const onPointerDown = (event: PointerEvent) => {
    if (!isSheet(sheet.current) || drag.current || event.button !== 0) return;
    const target = event.target as Element;
    if (stop === 'full' && !target.closest('[data-sheet-head]')) return;
    // A quick pointer leaves the sheet. What is pressed keeps it, so that it still gets its click.
    target.setPointerCapture(event.pointerId);
    drag.current = {
      pointer: event.pointerId,
      startY: event.clientY,
      startHeight: sheet.current.offsetHeight,
      moved: false,
    };
  };
  const onPointerMove = (event: PointerEvent) => {
    const { pointerId, clientY } = event;
    if (!sheet.current || drag.current?.pointer !== pointerId) return;
    const up = drag.current.startY - clientY;
    if (!drag.current.moved) {
      if (Math.abs(up) < DRAG_THRESHOLD) return;
      drag.current.moved = true;
      setDragging(true);
    }
    sheet.current.style.height = `${drag.current.startHeight + up}px`;
  };
  /** Ends the drag in any case; only one that was not cancelled changes the height. */
  const endDrag = (event: PointerEvent) => {
    const element = sheet.current;
    if (!element || drag.current?.pointer !== event.pointerId) return;
    const { moved } = drag.current;
    drag.current = null;
    if (!moved) return;
    const height = element.offsetHeight;
    element.style.height = '';
    setDragging(false);
    if (event.type !== 'pointerup') return;
    setStop(nearestStop(element, height));
    ignoreClick.current = true;
    setTimeout(() => (ignoreClick.current = false));
  };
  const onClickCapture = (event: MouseEvent) => {
    if (!ignoreClick.current) return;
    event.preventDefault();
    event.stopPropagation();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || stop === 'peek' || !isSheet(sheet.current)) return;
    // What is open in it closes first.
    if (opened === null || event.target === event.currentTarget.firstElementChild) move(-1);
  };
  const onGrabKey = (event: KeyboardEvent) => {
    const steps = { ArrowUp: 1, ArrowDown: -1 }[event.key];
    if (steps === undefined) return;
    event.preventDefault();
    move(steps);
  };
  /** An element that the keyboard focuses must be visible. */
  const onFocus = ({ target }: FocusEvent) => {
    const element = sheet.current;
    if (!target.matches(':focus-visible') || !isSheet(element) || stop === 'full') return;
    const below = target.getBoundingClientRect().bottom > element.getBoundingClientRect().bottom;
    if (stop === 'half' && below) setStop('full');
    else if (stop === 'peek') setStop('half');
  };
  return (
    <div
      ref={sheet}
      className={`${styles.sheet} ${className ?? ''}`}
      data-stop={stop}
      data-dragging={dragging || undefined}
      {...data}
      {...{ onPointerDown, onPointerMove, onClickCapture, onKeyDown }}
      // A link in it is not dragged out of it while the sheet moves.
      onDragStart={(event) => drag.current && event.preventDefault()}
      onPointerUp={endDrag}
      onPointerCancel={endDrag}
      onLostPointerCapture={endDrag}
    >
      <button
        type="button"
        className={styles.grab}
        data-sheet-head
        aria-expanded={stop !== 'peek'}
        aria-label={stop === 'full' ? 'Show less' : 'Show more'}
        onClick={() => (stop === 'full' ? setStop('peek') : move(1))}
        onKeyDown={onGrabKey}
      />
      <div ref={body} className={styles.body} onFocus={onFocus}>
        {children}
      </div>
    </div>
  );
});

/** Whether the window is narrow enough for a sheet. */
const isSheet = (element: Element | null): element is HTMLElement =>
  element !== null && getComputedStyle(element).position === 'absolute';

/** The stop whose height is nearest. */
function nearestStop(sheet: HTMLElement, height: number): Stop {
  const heights = sheetHeights(sheet);
  const far = (stop: Stop) => Math.abs(heights[stop] - height);
  return STOPS.reduce((nearest, stop) => (far(stop) < far(nearest) ? stop : nearest));
}
