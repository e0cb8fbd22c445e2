import {
  forwardRef,
  useEffect,
  useImperativeHandle,
  useRef,
  useState,
  type FocusEvent,
  type KeyboardEvent,
  type PointerEvent,
  type ReactNode,
} from 'react';
import { useLatest } from '#app/lib/polling.ts';
import styles from './mesh-panel.module.css';

/** Heights of the panel on a phone or tablet, lowest first. The style sheet defines them. */
const STOPS = ['low', 'half', 'full'] as const;
type Stop = (typeof STOPS)[number];
/** A drag that ends below this share of the page's height snaps to the stop. */
const SNAP_BELOW = { low: 0.36, half: 0.7 };
/** A pointer that moves less than this is a click, px. */
const DRAG_THRESHOLD = 6;

interface Drag {
  pointer: number;
  startY: number;
  startHeight: number;
  moved: boolean;
}

export interface MeshPanelProps {
  /** As a rail it is narrow. */
  folded: boolean;
  /** Something else stands in the place of the sheet. */
  away: boolean;
  /** What is open in it; null: nothing. As a low sheet it rises for what opens. */
  opened: string | null;
  children: ReactNode;
}

/**
 * Counts and filters, or what is selected: a rail beside the map; on a phone or tablet a sheet at the bottom with three
 * heights. Its handle is a button that can be dragged, clicked, or moved with the arrow keys.
 */
export const MeshPanel = forwardRef<HTMLDivElement, MeshPanelProps>(function MeshPanel(
  { folded, away, opened, children },
  ref,
) {
  const panel = useRef<HTMLDivElement>(null);
  useImperativeHandle(ref, () => panel.current as HTMLDivElement);
  const drag = useRef<Drag | null>(null);
  /** The browser sends a click after a drag as well. */
  const ignoreClick = useRef(false);
  const [stop, setStop] = useState<Stop>('low');
  const [dragging, setDragging] = useState(false);
  const latestStop = useLatest(stop);
  /** What opened has raised it, so it sinks again with that. */
  const raised = useRef(false);
  useEffect(() => {
    if (opened !== null && latestStop.current === 'low') {
      raised.current = true;
      setStop('half');
    } else if (opened === null && raised.current) {
      raised.current = false;
      setStop('low');
    }
  }, [opened, latestStop]);

  const onPointerDown = (event: PointerEvent) => {
    if (!panel.current || drag.current || event.button !== 0) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    drag.current = {
      pointer: event.pointerId,
      startY: event.clientY,
      startHeight: panel.current.offsetHeight,
      moved: false,
    };
  };
  const onPointerMove = ({ pointerId, clientY }: PointerEvent) => {
    if (!panel.current || drag.current?.pointer !== pointerId) return;
    const up = drag.current.startY - clientY;
    if (!drag.current.moved && Math.abs(up) < DRAG_THRESHOLD) return;
    drag.current.moved = true;
    setDragging(true);
    panel.current.style.height = `${drag.current.startHeight + up}px`;
  };
  /** Ends the drag in any case; only one that was not cancelled changes the height. */
  const endDrag = (event: PointerEvent) => {
    const element = panel.current;
    if (!element?.parentElement || drag.current?.pointer !== event.pointerId) return;
    const { moved } = drag.current;
    drag.current = null;
    if (!moved) return;
    const share = element.offsetHeight / element.parentElement.offsetHeight;
    element.style.height = '';
    setDragging(false);
    if (event.type !== 'pointerup') return;
    setStop(share < SNAP_BELOW.low ? 'low' : share < SNAP_BELOW.half ? 'half' : 'full');
    ignoreClick.current = true;
    setTimeout(() => (ignoreClick.current = false));
  };
  const onClick = () => {
    if (!ignoreClick.current) setStop(STOPS[(STOPS.indexOf(stop) + 1) % STOPS.length] ?? 'low');
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowUp: 1, ArrowDown: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    setStop(STOPS[STOPS.indexOf(stop) + step] ?? stop);
  };
  /** An element that the keyboard focuses must be visible. */
  const onFocus = ({ target }: FocusEvent) => {
    if (stop === 'low' && target.matches(':focus-visible')) setStop('half');
  };
  return (
    <div
      ref={panel}
      className={styles.panel}
      data-folded={folded || undefined}
      data-away={away || undefined}
      data-stop={stop}
      data-dragging={dragging || undefined}
    >
      <button
        type="button"
        className={styles.handle}
        aria-label={`Resize panel, now ${stop === 'low' ? 'low' : `${stop} height`}`}
        {...{ onPointerDown, onPointerMove, onClick, onKeyDown }}
        onPointerUp={endDrag}
        onPointerCancel={endDrag}
        onLostPointerCapture={endDrag}
      />
      <div className={styles.body} onFocus={onFocus}>
        {children}
      </div>
    </div>
  );
});
