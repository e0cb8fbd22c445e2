import type { MeshStore } from '#app/features/live/live-store.ts';
import { onThemeChange } from '#app/lib/theme.ts';
import type { MapView } from '../map/first-view.ts';
import type { LatLng } from '../map/mercator.ts';
import type { Drawing, DrawingOptions } from '../map/use-drawing.ts';
import { listen } from './gestures.client.ts';
import { between, turnedBy, wrapped } from './orientation.ts';
import { middleOf } from './points.ts';
import { Pulses } from './pulses.client.ts';
import { Scene } from './scene.client.ts';

/** How far beside a dot a click still hits it, CSS px. A finger is less precise than a mouse. */
const REACH = { fine: 12, coarse: 24 };
/** How far from the middle Enter looks for a place, CSS px. */
const REACH_OF_MIDDLE = 60;
/** Until a visitor touches it: degrees a second, and the least time between two frames, ms. */
const SPIN = { speed: 4, every: 33 };
/** How long it takes to turn to a selected place, ms. */
const TURN_MS = 700;

export interface Globe extends Drawing {
  zoomBy: (factor: number) => void;
}

/** Draws the network on a globe into the element's four canvases, and follows the visitor's gestures. */
export function createGlobe(
  host: HTMLElement,
  store: MeshStore,
  { shown, view, selected, insets, onSelect, onView, onPoint, onDrawn }: DrawingOptions,
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
  const animate = (step: (elapsed: number) => boolean) => {
    cancelAnimationFrame(animation);
    let began: number | undefined;
    const next = (now: number) => {
      began ??= now;
      scene.note(now);
      if (step(now - began)) animation = requestAnimationFrame(next);
    };
    animation = requestAnimationFrame(next);
  };
  const stopAnimation = () => {
    scene.spinning = automatic = false;
    cancelAnimationFrame(animation);
    // While it moved, it may have been drawn coarsely.
    scene.drawSoon();
  };
  const spin = () => {
    let last = 0;
    animate((elapsed) => {
      if (elapsed - last < SPIN.every) return scene.spinning;
      const { lat, lng } = scene.pose.centre;
      // A tab that was hidden doesn't jump.
      const seconds = Math.min(elapsed - last, 100) / 1000;
      scene.pose.centre = { lat, lng: wrapped(lng - SPIN.speed * seconds) };
      last = elapsed;
      scene.draw();
      return scene.spinning;
    });
  };
  const turnTo = (to: LatLng) => {
    stopAnimation();
    const from = scene.pose.centre;
    animate((elapsed) => {
      const share = still ? 1 : Math.min(1, elapsed / TURN_MS);
      scene.pose.centre = between(from, to, 1 - (1 - share) ** 3);
      scene.moving = share < 1;
      scene.draw();
      return scene.moving;
    });
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
  };
  const press = (x: number, y: number, reach: number, byKeyboard = false) =>
    onSelect(scene.hit(x, y, reach)?.selects ?? null, byKeyboard);
  const point = (x: number, y: number, reach: number, byKeyboard = false) => {
    const found = scene.hit(x, y, reach);
    host.style.cursor = found === null || byKeyboard ? '' : 'pointer';
    onPoint(found, byKeyboard);
  };
  const ignoreGestures = listen(host, {
    turn(dx, dy) {
      scene.pose.centre = turnedBy(scene.pose.centre, dx, dy, scene.pose.radius);
      scene.moving = true;
      scene.drawSoon();
    },
    zoom: zoomBy,
    press: (x, y, coarse) => press(x, y, coarse ? REACH.coarse : REACH.fine),
    hover: (at) => (at ? point(...at, REACH.fine) : onPoint(null, false)),
    open: () => press(scene.pose.x, scene.pose.y, REACH_OF_MIDDLE, true),
    touched: stopAnimation,
    ended(byKeyboard) {
      ended();
      if (byKeyboard) point(scene.pose.x, scene.pose.y, REACH_OF_MIDDLE, true);
    },
  });

  const pulses = still
    ? null
    : new Pulses(
        scene.pulseCanvas,
        () => scene.pose,
        () => scene.palette,
      );
  const unfollow = store.subscribe((change) => {
    if (scene.places.update(change, store)) scene.refresh();
    // A search shows no pulses: a pulse doesn't tell its node.
    if (shown.places) return;
    for (const pulse of change.pulses) if (scene.places.shows(pulse)) pulses?.add(pulse);
  });
  const unfollowTheme = onThemeChange(() => scene.recolour());
  host.addEventListener('focus', scene.drawSoon);
  host.addEventListener('blur', scene.drawSoon);
  const resized = new ResizeObserver(scene.layOut);
  resized.observe(host);

  scene.selected = selected;
  scene.spinning = automatic && !still;
  scene.layOut();
  turnToMiddle();
  if (view) setView(view);
  else if (selected) scene.pose.centre = { lat: selected.lat, lng: selected.lng };
  if (scene.spinning) spin();
  scene.load().then(onDrawn, onDrawn);

  return {
    show(next) {
      if (next === shown) return;
      shown = next;
      scene.places.show(shown, store);
      scene.refresh();
    },
    select(position) {
      scene.selected = position;
      scene.drawSoon();
    },
    moveTo: turnTo,
    setView,
    zoomBy(factor) {
      stopAnimation();
      zoomBy(factor);
      ended();
    },
    uncover: scene.layOut,
    remove() {
      stopAnimation();
      ignoreGestures();
      unfollow();
      unfollowTheme();
      resized.disconnect();
      pulses?.stop();
      scene.stop();
      host.removeEventListener('focus', scene.drawSoon);
      host.removeEventListener('blur', scene.drawSoon);
    },
  };
}
