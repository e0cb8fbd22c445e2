import type { MeshStore } from '#app/features/live/live-store.ts';
import { onThemeChange } from '#app/lib/theme.ts';
import type { MapView } from '../map/first-view.ts';
import { MarkerCursor } from '../map/marker-cursor.client.ts';
import type { Pointed } from '../map/marker-description.ts';
import { mostOf } from '../map/markers.ts';
import type { LatLng } from '../map/mercator.ts';
import type { Drawing, DrawingOptions } from '../map/use-drawing.ts';
import { listen } from './gestures.client.ts';
import { between, dot, latLngOf, turnedBy, vectorOf, wrapped, zoomAt } from './orientation.ts';
import { middleOf } from './points.ts';
import { Scene, ZOOM_MAX, type Spot } from './scene.client.ts';

/** How far around the middle of a marker a click hits it at least, CSS px. A finger is less precise than a mouse. */
const REACH = { fine: 12, coarse: 22 };
/**
 * Until a visitor touches it, but not for ever: degrees a second, the least time between two frames, the longest step,
 * and how long it turns by itself, ms.
 */
const SPIN = { speed: 2, every: 33, longest: 400, lasts: 60_000 };
/** A frame comes so long after it is asked for, ms. */
const FRAME_MS = 16;
/** Of the time, this share at most goes into frames of a globe that nobody has touched. */
const BUSY = 0.5;
/** Room around the nodes of a cluster that was clicked, and how much nearer a click goes at least. */
const CLOSER = { room: 2.6, least: 1 };
/** How long it takes to turn to a selected place, ms. */
const TURN_MS = 700;

export interface Globe extends Drawing {
  zoomBy: (factor: number) => void;
  /** Turns by itself, or stops. */
  spin: (on: boolean) => void;
}

/**
 * Draws the network on a globe into the element, and follows the visitor's gestures.
 * @param onSpin it turns by itself now, or no longer
 */
export function createGlobe(
  host: HTMLElement,
  store: MeshStore,
  { shown, view, selected, insets, onSelect, onView, onPoint, onDrawn }: DrawingOptions,
  onSpin: (spinning: boolean) => void,
): Globe {
  const still = matchMedia('(prefers-reduced-motion: reduce)').matches;
  /** Whether the first places, which may arrive later, still turn it. */
  let automatic = view === null && selected === null;
  const turnToMiddle = () => {
    const middle = automatic ? middleOf(scene.points) : null;
    if (!middle) return;
    automatic = false;
    scene.pose.centre = middle;
  };
  const scene = new Scene(host, store, shown, insets, turnToMiddle);

  /** The animation that runs: slow rotation, or turning to a place. */
  let animation = 0;
  let pause: ReturnType<typeof setTimeout> | undefined;
  const stopAnimating = () => {
    cancelAnimationFrame(animation);
    clearTimeout(pause);
  };
  /** @param step draws, and says how long it is until the next frame is worth it, ms; null: the end */
  const animate = (step: (elapsed: number) => number | null) => {
    stopAnimating();
    let began: number | undefined;
    const soon = () => (animation = requestAnimationFrame(next));
    const next = (now: number) => {
      began ??= now;
      const wait = step(now - began);
      if (wait === 0) soon();
      else if (wait !== null) pause = setTimeout(soon, wait);
    };
    soon();
  };
  const setSpinning = (spinning: boolean) => {
    if (scene.spinning === spinning) return;
    scene.spinning = spinning;
    onSpin(spinning);
  };
  const stopAnimation = () => {
    setSpinning(false);
    automatic = false;
    stopAnimating();
    // While it moved, it may have been drawn coarsely.
    scene.drawSoon();
  };
  const spin = () => {
    setSpinning(true);
    let last = 0;
    animate((elapsed) => {
      if (elapsed > SPIN.lasts) stopAnimation();
      if (!scene.spinning) return null;
      const { lat, lng } = scene.pose.centre;
      // A tab that was hidden doesn't jump.
      const seconds = Math.min(elapsed - last, SPIN.longest) / 1000;
      scene.pose.centre = { lat, lng: wrapped(lng - SPIN.speed * seconds) };
      last = elapsed;
      scene.draw();
      return Math.max(SPIN.every, scene.cost / BUSY) - FRAME_MS;
    });
  };
  const turnTo = (to: LatLng, zoom = scene.zoom) => {
    stopAnimation();
    const [from, before] = [scene.pose.centre, scene.zoom];
    animate((elapsed) => {
      const share = still ? 1 : Math.min(1, elapsed / TURN_MS);
      const eased = 1 - (1 - share) ** 3;
      scene.pose.centre = between(from, to, eased);
      if (zoom !== before) scene.zoom = before + (zoom - before) * eased;
      scene.moving = share < 1;
      scene.draw();
      if (share === 1 && zoom !== before) ended();
      return scene.moving ? 0 : null;
    });
  };
  /** What the visitor sees stays where it is. */
  const moveTo = (to: LatLng) => {
    stopAnimation();
    if (!scene.isInView(to)) turnTo(to);
  };
  const setView = ({ lat, lng, zoom }: MapView) => {
    stopAnimation();
    scene.pose.centre = { lat, lng };
    scene.zoom = zoom;
    scene.drawSoon();
  };

  const zoomBy = (factor: number) => {
    scene.zoom += Math.log2(factor);
    scene.moving = true;
    scene.drawSoon();
  };
  const ended = () => {
    scene.moving = false;
    scene.drawSoon();
    const { lat, lng } = scene.pose.centre;
    onView({ lat, lng, zoom: Math.round(scene.zoom * 20) / 20 });
    requestAnimationFrame(() => cursor.update());
  };
  /** Opens a place or Genesis; a cluster comes nearer, as long as there is more to see. */
  const choose = (spot: Spot | null, byKeyboard = false) => {
    if (spot?.kind === 'genesis') return onSelect({ node: store.head.genesis.id }, byKeyboard);
    if (!spot?.marker) return onSelect(null, byKeyboard);
    const { gridPoint, points, at } = spot.marker;
    if (gridPoint || scene.zoom >= ZOOM_MAX) {
      const place = gridPoint ?? mostOf(points);
      return onSelect(place && { at: { lat: place.lat, lng: place.lng } }, byKeyboard);
    }
    // Its nodes then take up a part of what is free.
    const widest = Math.max(
      ...points.map((point) => Math.acos(Math.min(1, dot(at, vectorOf(point))))),
    );
    const free = Math.min(scene.pose.width, scene.pose.height);
    const zoom = zoomAt(free / CLOSER.room / Math.max(widest, 1e-3));
    turnTo(latLngOf(at), Math.min(ZOOM_MAX, Math.max(zoom, scene.zoom + CLOSER.least)));
  };
  const describe = (spot: Spot): Pointed => {
    const { label, status } = store.head.genesis;
    return spot.marker ? scene.places.describe(spot.marker) : { kind: 'genesis', label, status };
  };
  const point = (spot: Spot | null, byKeyboard = false) =>
    onPoint(
      spot && {
        ...{ x: spot.x, y: spot.y, radius: spot.radius },
        ...{ pointed: describe(spot), byKeyboard },
      },
    );
  const turn = (dx: number, dy: number) => {
    scene.pose.centre = turnedBy(scene.pose.centre, dx, dy, scene.pose.radius);
    scene.moving = true;
    scene.drawSoon();
  };
  const ignoreGestures = listen(host, {
    turn,
    zoom: zoomBy,
    press: (x, y, coarse) => choose(scene.hit(x, y, coarse ? REACH.coarse : REACH.fine)),
    hover(at) {
      const spot = at && scene.hit(...at, REACH.fine);
      host.style.cursor = spot ? 'pointer' : '';
      point(spot);
    },
    touched: stopAnimation,
    ended,
  });
  const cursor = new MarkerCursor<Spot>(host, {
    spots: () => scene.spots(),
    middle: () => scene.pose,
    onPoint: (spot) => point(spot, true),
    onChoose: (spot) => choose(spot, true),
    onZoom(steps) {
      stopAnimation();
      zoomBy(1.5 ** steps);
      ended();
    },
    onMove(across, down) {
      stopAnimation();
      turn(-across, -down);
      ended();
    },
    onClose: () => onSelect(null, true),
  });

  const unfollow = store.subscribe((change) => {
    if (scene.places.update(change, store)) scene.refresh();
    // A search shows no pulses: a pulse doesn't tell its node.
    if (still || shown.places) return;
    for (const pulse of change.pulses) if (scene.places.shows(pulse)) scene.pulse(pulse);
  });
  const unfollowTheme = onThemeChange(() => scene.recolour());
  // Who comes to it with the keyboard looks for something.
  host.addEventListener('focus', stopAnimation);
  const resized = new ResizeObserver(scene.layOut);
  resized.observe(host);

  scene.selected = selected;
  const spins = automatic && !still;
  scene.layOut();
  turnToMiddle();
  if (view) setView(view);
  else if (selected) scene.pose.centre = { lat: selected.lat, lng: selected.lng };
  // It can be stopped from the start, and turns once the page has nothing else to do.
  setSpinning(spins);
  void scene.loaded.then(() => {
    onDrawn();
    whenIdle(() => {
      if (scene.spinning) spin();
    });
  });

  return {
    show(next) {
      if (next === shown) return;
      shown = next;
      scene.places.show(shown, store);
      scene.refresh();
    },
    select(selected) {
      scene.selected = selected;
      scene.drawSoon();
    },
    moveTo,
    setView,
    zoomBy(factor) {
      stopAnimation();
      zoomBy(factor);
      ended();
    },
    spin(on) {
      if (on) spin();
      else stopAnimation();
    },
    uncover: () => scene.layOut(),
    remove() {
      stopAnimation();
      ignoreGestures();
      unfollow();
      unfollowTheme();
      resized.disconnect();
      scene.stop();
      host.removeEventListener('focus', stopAnimation);
    },
  };
}

/** Calls back once the page has nothing else to do. (Safari has no requestIdleCallback.) */
function whenIdle(act: () => void): void {
  if ('requestIdleCallback' in window) requestIdleCallback(act);
  else setTimeout(act, 500);
}
