import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { chromium as playwright, type Browser, type Page } from 'playwright';
import { chromium } from '../test/support/chromium.ts';
import { build, isBuilt } from './build.mjs';
import { SHOTS, type Shot } from './screenshots/pages.ts';
import { startSeededService, type SeededService } from './screenshots/service.ts';

const WIDTHS = [390, 768, 1440];
const THEMES = ['light', 'dark'] as const;
/** A page counts as settled once nothing on it has changed for this long (ms). */
const QUIET_MS = 400;
/** A page that never comes to rest is taken as it is after this (ms). */
const SETTLE_TIMEOUT_MS = 6000;

/** Pictures taken side by side: most of the time of each is waiting. */
const AT_ONCE = 3;

const HELP = `Screenshots of every page at ${WIDTHS.join(', ')} px in both themes, from its own seeded service.

  npm run screenshots -- --out /tmp/shots
  npm run screenshots -- --out /tmp/shots --page computes --width 390 --theme dark
  npm run screenshots -- --out /tmp/shots --path '/computes?q=gpu' --full

  --out DIR       where the files go; required
  --page NAME     only this page or group of pages; may be repeated
  --path PATH     any path of the service instead; may be repeated
  --as ROLE       who opens --path: administrator or reviewer
  --width PX      only this width; any number; may be repeated
  --theme THEME   light or dark
  --full          the whole page instead of one screen
  --list          prints the names of the pages
  --help
`;

interface Options {
  out: string;
  shots: Shot[];
  widths: number[];
  themes: readonly ('light' | 'dark')[];
  full: boolean;
}

class UsageError extends Error {}

/** @returns null where the command line asks for text only, which has then been printed */
function parseOptions(args: string[]): Options | null {
  const { values } = parseArgs({
    args,
    options: {
      out: { type: 'string' },
      page: { type: 'string', multiple: true },
      path: { type: 'string', multiple: true, default: [] },
      as: { type: 'string' },
      width: { type: 'string', multiple: true },
      theme: { type: 'string' },
      full: { type: 'boolean', default: false },
      list: { type: 'boolean' },
      help: { type: 'boolean' },
    },
  });
  if (values.help || values.list) {
    process.stdout.write(values.help ? HELP : SHOTS.map(({ name }) => `${name}\n`).join(''));
    return null;
  }
  const { out, theme, as } = values;
  if (out === undefined) throw new UsageError('--out is required');
  if (theme !== undefined && theme !== 'light' && theme !== 'dark')
    throw new UsageError('--theme must be light or dark');
  if (as !== undefined && as !== 'administrator' && as !== 'reviewer')
    throw new UsageError('--as must be administrator or reviewer');
  const widths = values.width?.map(Number) ?? WIDTHS;
  if (!widths.every((width) => Number.isInteger(width) && width >= 200))
    throw new UsageError('--width must be a whole number of pixels, 200 or more');
  const chosen = values.page?.flatMap((page) => {
    const group = SHOTS.filter(({ name }) => name === page || name.startsWith(`${page}-`));
    if (group.length === 0) throw new UsageError(`no page is called ${page}; try --list`);
    return group;
  });
  const paths = values.path.map((path): Shot => ({
    name: path.replace(/\W+/g, '-').replace(/^-|-$/g, '') || 'root',
    path: () => path,
    ...(as && { as }),
  }));
  return {
    out,
    shots: chosen || paths.length === 0 ? [...(chosen ?? SHOTS), ...paths] : paths,
    widths,
    themes: theme === undefined ? THEMES : [theme],
    full: values.full,
  };
}

/** Takes every picture, several side by side, and prints its file. */
async function takeAll(browser: Browser, service: SeededService, options: Options): Promise<void> {
  const jobs = options.shots.flatMap((shot) =>
    options.widths.flatMap((width) =>
      options.themes.map((theme) =>
        take.bind(null, browser, service, shot, { ...options, width, theme }),
      ),
    ),
  );
  const worker = async () => {
    for (let job = jobs.shift(); job; job = jobs.shift()) console.log(await job());
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

/** Takes one picture and returns its file and what is wrong with the page. */
async function take(
  browser: Browser,
  service: SeededService,
  shot: Shot,
  { out, full, width, theme }: Options & { width: number; theme: 'light' | 'dark' },
): Promise<string> {
  const phone = width < 500;
  // A context of its own: nothing that an earlier page stored in the browser shows here.
  const context = await browser.newContext({
    viewport: { width, height: phone ? 844 : 900 },
    colorScheme: theme,
    reducedMotion: 'reduce',
    hasTouch: phone,
    isMobile: phone,
    locale: 'en-GB',
    timezoneId: 'Europe/Berlin',
  });
  if (shot.as) await context.addCookies(cookies(service, shot.as));
  const page = await context.newPage();
  await page.goto(service.url + shot.path(service.seeded));
  await settle(page);
  if (shot.prepare) {
    await shot.prepare(page);
    await settle(page);
  }
  const file = join(out, `${shot.name}-${width}-${theme}.png`);
  await page.screenshot({ path: file, fullPage: full });
  const tooWide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
  await context.close();
  return tooWide ? `${file}  WIDER THAN THE SCREEN` : file;
}

function cookies({ url, cookies }: SeededService, role: 'administrator' | 'reviewer') {
  return cookies[role].split('; ').map((pair) => {
    const [name = '', ...value] = pair.split('=');
    return { name, value: value.join('='), url, httpOnly: true };
  });
}

/** Waits until the scripts have taken over, fonts and images are there, and the page changes no more. */
async function settle(page: Page): Promise<void> {
  await page.waitForLoadState('load');
  await page.evaluate(
    async ({ quiet, timeout }) => {
      const deadline = performance.now() + timeout;
      // Remix sets this when its scripts take over.
      while (history.scrollRestoration !== 'manual' && performance.now() < deadline)
        await new Promise((resolve) => setTimeout(resolve, 20));
      await document.fonts.ready;
      let changedAt = performance.now();
      new MutationObserver(() => (changedAt = performance.now())).observe(document, {
        subtree: true,
        childList: true,
        attributes: true,
        characterData: true,
      });
      while (performance.now() - changedAt < quiet && performance.now() < deadline)
        await new Promise((resolve) => setTimeout(resolve, 50));
    },
    { quiet: QUIET_MS, timeout: SETTLE_TIMEOUT_MS },
  );
}

async function main(): Promise<void> {
  const options = parseOptions(process.argv.slice(2));
  if (!options) return;
  if (!isBuilt()) {
    console.log('Building once; the next start is quick.');
    await build({ quiet: true });
  }
  await mkdir(options.out, { recursive: true });
  const service = await startSeededService();
  const browser = await playwright.launch(await chromium());
  try {
    const [broken, working] = [true, false].map((state) =>
      options.shots.filter((shot) => (shot.broken ?? false) === state),
    ) as [Shot[], Shot[]];
    await takeAll(browser, service, { ...options, shots: working });
    if (broken.length === 0) return;
    await service.breakReviews();
    await takeAll(browser, service, { ...options, shots: broken });
  } finally {
    await browser.close();
    await service.stop();
  }
}

try {
  await main();
} catch (error) {
  const usage =
    error instanceof UsageError || (error as { code?: string }).code?.startsWith('ERR_PARSE_ARGS');
  if (!usage) throw error;
  process.stderr.write(`screenshots: ${(error as Error).message}\n`);
  process.exitCode = 2;
}
