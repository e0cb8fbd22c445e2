import {
  forwardRef,
  useImperativeHandle,
  useRef,
  useState,
  type FocusEvent,
  type KeyboardEvent,
  type PointerEvent,
  type ReactNode,
} from 'react';
import card from '#app/ui/card.module.css';
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
  /** It lies over the map. */
  floating: boolean;
  /** Over the map only its heading is shown; what folds away has the attribute `data-foldable`. */
  folded: boolean;
  children: ReactNode;
}

/**
 * Search, filters and counts. Over the map it floats on the left; on a phone or tablet it is a sheet at the bottom with
 * three heights. Its handle is a button that can be dragged, clicked, or moved with the arrow keys.
 */
export const MeshPanel = forwardRef<HTMLDivElement, MeshPanelProps>(function MeshPanel(
  { floating, folded, children },
  ref,
) {
  const panel = useRef<HTMLDivElement>(null);
  useImperativeHandle(ref, () => panel.current as HTMLDivElement);
  const drag = useRef<Drag | null>(null);
  /** The browser sends a click after a drag as well. */
  const ignoreClick = useRef(false);
  const [stop, setStop] = useState<Stop>('low');
  const [dragging, setDragging] = useState(false);

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
      className={`${card.card} ${styles.panel}`}
      data-floating={floating || undefined}
      data-folded={(floating && folded) || undefined}
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
