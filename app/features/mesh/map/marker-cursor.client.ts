import styles from './map-view.module.css';
import type { Circle } from './mercator.ts';

interface MarkerCursorOptions<Spot extends Circle> {
  /** The markers that can be seen now, with their position and size on the map, CSS px. */
  spots: () => Spot[];
  /** The middle of what nothing covers, from where the cursor starts, CSS px. */
  middle: () => { x: number; y: number };
  /** The cursor is on a marker now, or on none. */
  onPoint: (spot: Spot | null) => void;
  onChoose: (spot: Spot) => void;
  /** Zooms by so many steps. */
  onZoom: (steps: number) => void;
  /** Moves the map by so many px. */
  onMove: (across: number, down: number) => void;
  /** Closes what is open. */
  onClose: () => void;
}

/** Least size of the cursor, and how far the map moves at a time, CSS px. */
const SIZE = 24;
const STEP = 120;
const DIRECTIONS: Record<string, readonly [x: number, y: number]> = {
  ArrowRight: [1, 0],
  ArrowLeft: [-1, 0],
  ArrowDown: [0, 1],
  ArrowUp: [0, -1],
};
const ZOOMS: Record<string, number> = { '+': 1, '=': 1, '-': -1, _: -1 };

/**
 * The keyboard's way to the markers, which are drawn on a canvas. The map is one stop: the arrow keys go to the next
 * marker in their direction, or move the map if there is none or with Shift; Enter opens it, plus and minus zoom, Escape
 * closes what is open.
 */
export class MarkerCursor<Spot extends Circle> {
  readonly #ring = document.createElement('div');
  #at: Spot | null = null;

  constructor(
    private readonly host: HTMLElement,
    private readonly options: MarkerCursorOptions<Spot>,
  ) {
    this.#ring.className = styles.cursor ?? '';
    this.#ring.hidden = true;
    host.addEventListener('blur', () => this.#point(null));
    host.addEventListener('keydown', (event) => this.#onKey(event));
    host.prepend(this.#ring);
  }

  /** The markers have moved: goes to the one that is nearest to where the cursor is. */
  update(): void {
    if (!this.#at || document.activeElement !== this.host) return;
    const from = this.#at;
    this.#point(nearest(this.options.spots(), ({ x, y }) => Math.hypot(x - from.x, y - from.y)));
  }

  #onKey(event: KeyboardEvent): void {
    const { key } = event;
    if (event.target !== this.host || event.ctrlKey || event.metaKey || event.altKey) return;
    const zoom = ZOOMS[key];
    const direction = DIRECTIONS[key];
    if (zoom) this.options.onZoom(zoom);
    else if (direction && event.shiftKey) this.#move(...direction);
    else if (direction) this.#go(...direction);
    else if (key === 'Enter') {
      if (this.#at) this.options.onChoose(this.#at);
    } else if (key === 'Escape') {
      if (this.#at) this.#point(null);
      else this.options.onClose();
    } else return;
    // Neither the map nor the page moves.
    event.preventDefault();
  }

  #go(across: number, down: number): void {
    const from = this.#at ?? this.options.middle();
    const next = nearest(this.options.spots(), ({ x, y }) => {
      const [dx, dy] = [x - from.x, y - from.y];
      const along = dx * across + dy * down;
      const aside = Math.abs(dx * down) + Math.abs(dy * across);
      return along > 1 && aside <= 2 * along ? along + 2 * aside : Infinity;
    });
    if (next) this.#point(next);
    else this.#move(across, down);
  }

  #move(across: number, down: number): void {
    this.options.onMove(across * STEP, down * STEP);
  }

  #point(spot: Spot | null): void {
    this.#at = spot;
    this.#ring.hidden = spot === null;
    this.options.onPoint(spot);
    if (!spot) return;
    const size = Math.max(SIZE, 2 * spot.radius + 8);
    Object.assign(this.#ring.style, {
      left: `${spot.x - size / 2}px`,
      top: `${spot.y - size / 2}px`,
      width: `${size}px`,
      height: `${size}px`,
    });
  }
}

/** The one with the least finite distance. */
function nearest<Spot>(all: Spot[], distance: (one: Spot) => number): Spot | null {
  let least = Infinity;
  let found: Spot | null = null;
  for (const one of all) {
    const far = distance(one);
    if (far < least) [least, found] = [far, one];
  }
  return found;
}
