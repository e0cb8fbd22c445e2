import type { View } from './canvas-layer.client.ts';
import type { Names } from './geography.ts';
import { FAMILY } from './fonts.client.ts';
import { placeLabels, type LabelKind } from './labels.ts';
import type { Palette } from './palette.client.ts';

/** Width of the halo that separates a name from what is below it, CSS px. */
const HALO = 2.4;
/** Radius of a city, CSS px. */
const DOT = 1.75;

/** Space between the letters, by what is named. */
const SPACING: Record<LabelKind, string> = { countries: '0px', waters: '1.7px', cities: '0px' };

/** Names of countries, waters and cities, where they have room beside the markers. */
export function drawLabels(
  context: OffscreenCanvasRenderingContext2D,
  view: View,
  palette: Palette,
  names: Names,
  obstacles: readonly number[],
): void {
  const setStyle = (kind: LabelKind) => {
    context.font = `400 12px "${FAMILY}", system-ui, sans-serif`;
    context.letterSpacing = SPACING[kind];
  };
  const labels = placeLabels(names, view, obstacles, (kind, text) => {
    setStyle(kind);
    return context.measureText(text).width;
  });
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  context.lineJoin = 'round';
  context.lineWidth = HALO;
  for (const { kind, text, x, y, dot } of labels) {
    setStyle(kind);
    context.strokeStyle = kind === 'waters' ? palette.sea : palette['name-halo'];
    context.fillStyle = palette[kind === 'waters' ? 'water-name' : 'place-name'];
    if (dot) {
      context.beginPath();
      context.arc(dot.x, dot.y, DOT, 0, 2 * Math.PI);
      context.stroke();
      context.fill();
    }
    context.strokeText(text, x, y);
    context.fillText(text, x, y);
  }
}
