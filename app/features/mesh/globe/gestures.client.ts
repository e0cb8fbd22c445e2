/** What a visitor does with the globe: drag, wheel, pinch and double click. */
export interface Gestures {
  /** The globe is dragged by so many px. */
  turn: (dx: number, dy: number) => void;
  /** The globe is to be so many times larger. */
  zoom: (factor: number) => void;
  /** A click or tap, px from the canvas' upper left corner. */
  press: (x: number, y: number, coarse: boolean) => void;
  /** The pointer is over this point, without a button; null: it left. */
  hover: (at: readonly [x: number, y: number] | null) => void;
  /** A gesture has begun. */
  touched: () => void;
  /** The gesture has ended. */
  ended: () => void;
}

/** How far the pointer may move in a click, px. */
const CLICK = 5;
/** Pixels of the wheel that make it twice as large. */
const WHEEL = 320;

/** @returns stops listening */
export function listen(element: HTMLElement, gestures: Gestures): () => void {
  const pointers = new Map<number, { x: number; y: number }>();
  let moved = 0;
  let wheelEnded: ReturnType<typeof setTimeout> | undefined;
  const stopping = new AbortController();
  const on = <K extends keyof HTMLElementEventMap>(
    type: K,
    listener: (event: HTMLElementEventMap[K]) => void,
    options?: AddEventListenerOptions,
  ) => element.addEventListener(type, listener, { ...options, signal: stopping.signal });
  const within = ({ clientX, clientY }: MouseEvent) => {
    const { left, top } = element.getBoundingClientRect();
    return [clientX - left, clientY - top] as const;
  };
  /** How far apart two fingers are, px. */
  const spread = () => {
    const [a, b] = [...pointers.values()];
    return a && b ? Math.hypot(a.x - b.x, a.y - b.y) : 0;
  };

  on('pointerdown', (event) => {
    if (event.button !== 0) return;
    element.setPointerCapture(event.pointerId);
    if (pointers.size === 0) moved = 0;
    pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    gestures.touched();
    gestures.hover(null);
  });
  on('pointermove', (event) => {
    const before = pointers.get(event.pointerId);
    if (!before) {
      if (event.pointerType === 'mouse') gestures.hover(within(event));
      return;
    }
    const apart = spread();
    pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    const [dx, dy] = [event.clientX - before.x, event.clientY - before.y];
    moved += Math.hypot(dx, dy);
    if (moved < CLICK) return;
    element.dataset['dragging'] = '';
    gestures.turn(dx / pointers.size, dy / pointers.size);
    if (apart > 0) gestures.zoom(spread() / apart);
  });
  const release = (event: PointerEvent) => {
    if (!pointers.delete(event.pointerId)) return;
    delete element.dataset['dragging'];
    if (moved < CLICK && event.type === 'pointerup')
      gestures.press(...within(event), event.pointerType !== 'mouse');
    else if (pointers.size === 0) gestures.ended();
  };
  on('pointerup', release);
  on('pointercancel', release);
  on('pointerleave', () => gestures.hover(null));
  on('dblclick', () => {
    gestures.zoom(2);
    gestures.ended();
  });
  on(
    'wheel',
    (event) => {
      event.preventDefault();
      gestures.touched();
      // Lines or pages of some mice, and the finer steps of a pinch on a touchpad.
      const unit = event.deltaMode === 0 ? 1 : event.deltaMode === 1 ? 20 : 400;
      const delta = event.deltaY * unit * (event.ctrlKey ? 6 : 1);
      gestures.zoom(2 ** (-Math.max(-WHEEL, Math.min(WHEEL, delta)) / WHEEL));
      clearTimeout(wheelEnded);
      wheelEnded = setTimeout(() => gestures.ended(), 200);
    },
    { passive: false },
  );
  return () => {
    stopping.abort();
    clearTimeout(wheelEnded);
  };
}
