import { initWasm, Resvg } from '@resvg/resvg-wasm';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { parentPort } from 'node:worker_threads';
import { FONT } from './picture.schema.ts';
import type { PictureReply, PictureRequest } from './renderer.ts';

/** The program of the thread that draws pictures. It reads its fonts from their package and nothing of the system. */

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

async function draw(svg: string): Promise<Uint8Array> {
  const renderer = new Resvg(svg, { font: await ready });
  try {
    const image = renderer.render();
    try {
      return image.asPng();
    } finally {
      image.free();
    }
  } finally {
    renderer.free();
  }
}

parentPort?.on('message', ({ n, svg }: PictureRequest) => {
  void draw(svg).then(
    (png) => {
      // Bytes of their own, to be handed over: these are in the memory of the renderer's program.
      const copy = Uint8Array.from(png);
      const reply: PictureReply = { n, png: copy };
      parentPort?.postMessage(reply, [copy.buffer]);
    },
    (error: unknown) => {
      const reply: PictureReply = { n, error: String(error) };
      parentPort?.postMessage(reply);
    },
  );
});
