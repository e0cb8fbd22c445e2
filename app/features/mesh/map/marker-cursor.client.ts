import styles from './map-view.module.css';
import type { Hit } from './marker-hits.ts';

interface MarkerCursorOptions {
  /** The markers that can be seen now, with their position and size on the map, CSS px. */
  spots: () => Hit[];
  /** What a marker is called. */
  textOf: (spot: Hit) => string;
  /** The cursor is on a marker now, or on none. */
  onPoint: (spot: Hit | null) => void;
  onChoose: (spot: Hit) => void;
}

/** Least size of the cursor, CSS px. */
const SIZE = 24;
const DIRECTIONS: Record<string, readonly [x: number, y: number]> = {
  ArrowRight: [1, 0],
  ArrowLeft: [-1, 0],
  ArrowDown: [0, 1],
  ArrowUp: [0, -1],
};

/**
 * The keyboard's way to the markers, which are drawn on a canvas: one button that lies over a marker. The arrow keys
 * move it to the next marker in their direction, Enter opens the marker.
 */
export class MarkerCursor {
  readonly #button = document.createElement('button');
  /** Says where the cursor has moved to: screen readers don't repeat the name of what has the focus already. */
  readonly #announcer = document.createElement('span');
  #at: Hit | null = null;

  constructor(
    host: HTMLElement,
    private readonly options: MarkerCursorOptions,
  ) {
    const button = this.#button;
    button.type = 'button';
    button.className = styles.cursor ?? '';
    button.setAttribute('aria-label', 'Markers on the map');
    this.#announcer.className = 'visually-hidden';
    this.#announcer.setAttribute('aria-live', 'polite');
    button.addEventListener('focus', () => this.update());
    button.addEventListener('blur', () => this.#point(null));
    button.addEventListener('keydown', (event) => this.#onKey(event));
    button.addEventListener('click', (event) => {
      // The map would take it for a click beside all markers.
      event.stopPropagation();
      if (this.#at) options.onChoose(this.#at);
    });
    host.prepend(button, this.#announcer);
  }

  /** The markers have moved: goes to the one that is nearest to where the cursor is. */
  update(): void {
    if (document.activeElement !== this.#button) return;
    const { clientWidth = 0, clientHeight = 0 } = this.#button.parentElement ?? {};
    const from = this.#at ?? { x: clientWidth / 2, y: clientHeight / 2 };
    this.#point(nearest(this.options.spots(), ({ x, y }) => Math.hypot(x - from.x, y - from.y)));
  }

  #onKey(event: KeyboardEvent): void {
    if (event.key === 'Escape') return this.#point(null);
    const direction = DIRECTIONS[event.key];
    if (!direction) return;
    // Neither the map nor the page moves.
    event.preventDefault();
    event.stopPropagation();
    const from = this.#at;
    if (!from) return this.update();
    const [across, down] = direction;
    const next = nearest(this.options.spots(), ({ x, y }) => {
      const [dx, dy] = [x - from.x, y - from.y];
      const along = dx * across + dy * down;
      const aside = Math.abs(dx * down) + Math.abs(dy * across);
      return along > 1 && aside <= 2 * along ? along + 2 * aside : Infinity;
    });
    if (!next) return;
    this.#point(next);
    this.#announcer.textContent = this.options.textOf(next);
  }

  #point(spot: Hit | null): void {
    this.#at = spot;
    this.options.onPoint(spot);
    if (!spot) return;
    const size = Math.max(SIZE, 2 * spot.radius + 6);
    Object.assign(this.#button.style, {
      left: `${spot.x - size / 2}px`,
      top: `${spot.y - size / 2}px`,
      width: `${size}px`,
      height: `${size}px`,
    });
    this.#button.setAttribute('aria-label', this.options.textOf(spot));
  }
}

/** The one with the least finite distance. */
function nearest(all: Hit[], distance: (one: Hit) => number): Hit | null {
  let least = Infinity;
  let found: Hit | null = null;
  for (const one of all) {
    const far = distance(one);
    if (far < least) [least, found] = [far, one];
  }
  return found;
}
