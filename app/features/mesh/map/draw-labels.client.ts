import extendedUrl from '@fontsource/ibm-plex-sans/files/ibm-plex-sans-latin-ext-400-normal.woff2?url';
import latinUrl from '@fontsource/ibm-plex-sans/files/ibm-plex-sans-latin-400-normal.woff2?url';
import type { View } from './canvas-layer.client.ts';
import type { Names } from './geography.ts';
import { placeLabels, type LabelKind } from './labels.ts';
import type { Palette } from './palette.client.ts';

/** Width of the halo that separates a name from what is below it, CSS px. */
const HALO = 3;
/** Radius of a city, CSS px. */
const DOT = 1.75;
const FAMILY = 'IBM Plex Sans';

const STYLES: Record<LabelKind, { font: string; spacing: string; capitals: boolean }> = {
  countries: { font: '400 11px', spacing: '1.5px', capitals: true },
  waters: { font: 'italic 400 12px', spacing: '0.5px', capitals: false },
  cities: { font: '400 12px', spacing: '0px', capitals: false },
};

/** The page's fonts, which a worker has to load for itself. Without them names are drawn in the system's font. */
export async function loadFonts(): Promise<void> {
  const faces = [
    new FontFace(FAMILY, `url(${latinUrl})`, { unicodeRange: 'U+0000-00FF, U+2000-206F' }),
    new FontFace(FAMILY, `url(${extendedUrl})`, { unicodeRange: 'U+0100-02BA, U+1E00-1E9F' }),
  ];
  const fonts = typeof document === 'undefined' ? workerFonts() : document.fonts;
  for (const face of faces) fonts.add(face);
  await Promise.allSettled(faces.map((face) => face.load()));
}

const workerFonts = () => (self as unknown as { fonts: FontFaceSet }).fonts;

/** Names of countries, waters and cities, where they have room beside the markers. */
export function drawLabels(
  context: OffscreenCanvasRenderingContext2D,
  view: View,
  palette: Palette,
  names: Names,
  obstacles: readonly number[],
): void {
  const textOf = (kind: LabelKind, text: string) =>
    STYLES[kind].capitals ? text.toUpperCase() : text;
  const setStyle = (kind: LabelKind) => {
    const { font, spacing } = STYLES[kind];
    context.font = `${font} "${FAMILY}", system-ui, sans-serif`;
    context.letterSpacing = spacing;
  };
  const labels = placeLabels(names, view, obstacles, (kind, text) => {
    setStyle(kind);
    return context.measureText(textOf(kind, text)).width;
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
    context.strokeText(textOf(kind, text), x, y);
    context.fillText(textOf(kind, text), x, y);
  }
}
