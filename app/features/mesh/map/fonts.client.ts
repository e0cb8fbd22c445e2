import extendedUrl from '@fontsource/ibm-plex-sans/files/ibm-plex-sans-latin-ext-400-normal.woff2?url';
import latinUrl from '@fontsource/ibm-plex-sans/files/ibm-plex-sans-latin-400-normal.woff2?url';
import boldUrl from '@fontsource/ibm-plex-sans/files/ibm-plex-sans-latin-600-normal.woff2?url';

/** The font of names and numbers on canvases. */
export const FAMILY = 'IBM Plex Sans';

const LATIN = 'U+0000-00FF, U+2000-206F';
const FACES = {
  latin: { url: latinUrl, weight: '400', unicodeRange: LATIN },
  bold: { url: boldUrl, weight: '600', unicodeRange: LATIN },
  extended: { url: extendedUrl, weight: '400', unicodeRange: 'U+0100-02BA, U+1E00-1E9F' },
};

/** A part of the page's font, which a worker has to load for itself. Without it text is in the system's font. */
export async function loadFont(part: keyof typeof FACES): Promise<void> {
  const { url, ...descriptors } = FACES[part];
  const face = new FontFace(FAMILY, `url(${url})`, descriptors);
  (typeof document === 'undefined' ? workerFonts() : document.fonts).add(face);
  await face.load().catch(() => undefined);
}

const workerFonts = () => (self as unknown as { fonts: FontFaceSet }).fonts;
