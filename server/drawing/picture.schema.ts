/** The font of pictures, for the SVG that they are made of: Latin, Greek and Cyrillic in the weights 400 and 600. */
export const FONT = 'IBM Plex Sans';

/** Whether the font has every character of a text; others would be drawn as empty boxes. */
export const isDrawable = (text: string): boolean =>
  /^[\u0020-\u007e\u00a0-\u024f\u0384-\u03ce\u0400-\u04ff\u1ea0-\u1ef9\u2010-\u2026]*$/.test(text);
