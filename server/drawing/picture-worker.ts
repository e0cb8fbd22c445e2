import { initWasm, Resvg } from '@resvg/resvg-wasm';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { answerRequests } from '#server/common/asked-thread.ts';
import { indexedPng } from './indexed-png.ts';
import { FONT } from './picture.schema.ts';
import type { PictureReply, PictureRequest } from './pictures.ts';

/** The program of the thread that draws pictures. It reads its fonts from their package and nothing of the system. */

/** A picture is smaller than this if it can be, bytes. */
const PNG_FITS = 60 * 1024;

const resolve = createRequire(import.meta.url).resolve;

const SCRIPTS = ['latin', 'latin-ext', 'cyrillic', 'cyrillic-ext', 'greek', 'vietnamese'];
const FONT_FILES = [400, 600].flatMap((weight) =>
  SCRIPTS.map(
    (script) => `@fontsource/ibm-plex-sans/files/ibm-plex-sans-${script}-${weight}-normal.woff2`,
  ),
);

const ready = (async () => {
  const [program, ...fontBuffers] = await Promise.all(
    ['@resvg/resvg-wasm/index_bg.wasm', ...FONT_FILES].map((file) => readFile(resolve(file))),
  );
  if (program) await initWasm(program);
  return { fontBuffers, defaultFontFamily: FONT, loadSystemFonts: false };
})();

async function draw(svg: string): Promise<Buffer> {
  const renderer = new Resvg(svg, { font: await ready });
  try {
    const image = renderer.render();
    try {
      return indexedPng(image.pixels, image.width, image.height, PNG_FITS);
    } finally {
      image.free();
    }
  } finally {
    renderer.free();
  }
}

answerRequests(async ({ svg }: PictureRequest) => {
  // Bytes of their own, to be handed over: those of a Buffer may share their memory with others.
  const png = Uint8Array.from(await draw(svg));
  return { reply: { png } satisfies PictureReply, transfer: [png.buffer] };
});
