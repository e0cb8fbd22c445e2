import { useRef, useState, type KeyboardEvent, type PointerEvent, type ReactNode } from 'react';

/** How high the sheet stands on a narrow screen; the style sheet says what that is. */
const STOPS = ['peek', 'half', 'full'] as const;
type Stop = (typeof STOPS)[number];
const NAMES: Record<Stop, string> = { peek: 'low', half: 'half', full: 'whole' };

/**
 * What floats beside the map on a wide screen and is drawn up over it on a narrow one. The handle is a
 * button: it is dragged, clicked, or moved by the arrow keys.
 */
export function Sheet({ children }: { children: ReactNode }) {
  const sheet = useRef<HTMLDivElement>(null);
  const [stop, setStop] = useState<Stop>('peek');
  const drag = useRef<{ y: number; height: number; moved: boolean }>();

  const step = (by: number) =>
    setStop((now) => STOPS[Math.min(Math.max(STOPS.indexOf(now) + by, 0), 2)] ?? now);

  const onPointerDown = (event: PointerEvent) => {
    if (!sheet.current) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    drag.current = { y: event.clientY, height: sheet.current.offsetHeight, moved: false };
  };
  const onPointerMove = (event: PointerEvent) => {
    if (!drag.current || !sheet.current) return;
    const by = drag.current.y - event.clientY;
    if (Math.abs(by) > 6) drag.current.moved = true;
    if (drag.current.moved) sheet.current.style.height = `${drag.current.height + by}px`;
  };
  const onPointerUp = () => {
    const element = sheet.current;
    if (!drag.current?.moved || !element?.parentElement) return;
    const share = element.offsetHeight / element.parentElement.offsetHeight;
    element.style.height = '';
    setStop(share < 0.35 ? 'peek' : share < 0.72 ? 'half' : 'full');
  };
  const onClick = () => {
    // A drag ends in a click too.
    if (drag.current?.moved) drag.current = undefined;
    else setStop((now) => (now === 'full' ? 'peek' : now === 'half' ? 'full' : 'half'));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return;
    event.preventDefault();
    step(event.key === 'ArrowUp' ? 1 : -1);
  };
  return (
    <div ref={sheet} className="mesh-panel card" data-stop={stop}>
      <button
        type="button"
        className="panel-handle"
        aria-label={`Height of the panel: ${NAMES[stop]}`}
        {...{ onPointerDown, onPointerMove, onPointerUp, onClick, onKeyDown }}
      />
      <div className="panel-body">{children}</div>
    </div>
  );
}
