import type { View } from './canvas-layer.client.ts';
import type { Name, Names } from './geography.ts';
import { project, xInWorld, type Box, type Circle } from './mercator.ts';

export type LabelKind = keyof Names;

/** A name where it is drawn, CSS px on the canvas. */
export interface Label {
  kind: LabelKind;
  text: string;
  /** The middle of its text. */
  x: number;
  y: number;
  /** Where a city is; null if a marker is there. */
  dot: { x: number; y: number } | null;
}

/** Names are chosen in this order. */
const KINDS: readonly LabelKind[] = ['countries', 'waters', 'cities'];
/** Height of a line, and the room around a name, CSS px. */
const HEIGHT = 14;
const ROOM = 4;
/** Between a city or a marker and its name, CSS px. */
const GAP = 5;
/** How far a name may be from where it belongs, so that a marker doesn't hide it: lines up and down. */
const LINES = [0, -1.2, 1.2, -2.4, 2.4];
/** Names this far outside the canvas still compete, so that few change when the map moves, CSS px. */
const MARGIN = 120;

const overlaps = (a: Box, b: Box) =>
  a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;

/** Whether a circle reaches into a rectangle. */
const covers = ({ x, y, radius }: Circle, { left, right, top, bottom }: Box) =>
  Math.hypot(x - Math.max(left, Math.min(x, right)), y - Math.max(top, Math.min(y, bottom))) <
  radius;

/**
 * The names that have room: none overlaps another one or a marker.
 * @param obstacles x, y and radius of each marker, CSS px on the canvas
 * @param widthOf the width of a text, CSS px
 */
export function placeLabels(
  names: Names,
  { scale, x: left, y: top, width, height, cut }: View,
  obstacles: readonly number[],
  widthOf: (kind: LabelKind, text: string) => number,
): Label[] {
  const zoom = Math.log2(scale);
  const circles: Circle[] = [];
  for (let at = 0; at + 2 < obstacles.length; at += 3) {
    const [x = 0, y = 0, radius = 0] = obstacles.slice(at, at + 3);
    circles.push({ x, y, radius: radius + 2 });
  }
  const taken: Box[] = [];
  const labels: Label[] = [];

  const tryAt = (kind: LabelKind, text: string, wide: number, x: number, y: number) => {
    const rect = {
      left: x - wide / 2 - ROOM,
      right: x + wide / 2 + ROOM,
      top: y - HEIGHT / 2,
      bottom: y + HEIGHT / 2,
    };
    if (taken.some((other) => overlaps(rect, other)) || circles.some((c) => covers(c, rect)))
      return false;
    taken.push(rect);
    labels.push({ kind, text, x, y, dot: null });
    return true;
  };
  const place = (kind: LabelKind, text: string, x: number, y: number) => {
    const wide = widthOf(kind, text);
    if (kind !== 'cities') {
      LINES.some((lines) => tryAt(kind, text, wide, x, y + lines * HEIGHT));
      return;
    }
    const marker = circles.find((c) => Math.hypot(c.x - x, c.y - y) < c.radius);
    const { x: cx, y: cy, radius } = marker ?? { x, y, radius: 0 };
    const [across, down] = [radius + GAP + wide / 2, radius + GAP + HEIGHT / 2];
    const around = [
      [across, 0],
      [0, down],
      [-across, 0],
      [0, -down],
    ] as const;
    const found = around.some(([dx, dy]) => tryAt(kind, text, wide, cx + dx, cy + dy));
    const label = labels.at(-1);
    if (!found || !label || marker) return;
    label.dot = { x, y };
    taken.push({ left: x - 3, right: x + 3, top: y - 3, bottom: y + 3 });
  };

  for (const kind of KINDS)
    for (const [text, lng, lat, from] of names[kind] satisfies readonly Name[]) {
      if (zoom < from) continue;
      const at = project(lat, lng);
      const y = at.y * scale - top;
      if (y < -MARGIN || y > height + MARGIN) continue;
      const x = xInWorld(at.x, cut) * scale - left;
      if (x > -MARGIN && x < width + MARGIN) place(kind, text, x, y);
    }
  return labels;
}
