import { spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

/** `npm run screenshots`: runs e2e/screenshots.spec.ts, which Playwright cannot give options of its own. */

const HELP = `Screenshots of every page at 390, 768 and 1440 px in both themes, from its own seeded service.

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
  --list          prints the names of the pictures
  --help
`;

function fail(message: string): never {
  console.error(`screenshots: ${message}`);
  process.exit(2);
}

function parse() {
  const text = { type: 'string' } as const;
  const texts = { type: 'string', multiple: true } as const;
  const flag = { type: 'boolean', default: false } as const;
  const choices = { page: texts, path: texts, as: text, width: texts, theme: text, full: flag };
  try {
    return parseArgs({ options: { out: text, ...choices, list: flag, help: flag } }).values;
  } catch (error) {
    return fail((error as Error).message);
  }
}

const { help, list, out, as, theme, full, ...values } = parse();
if (help) {
  console.log(HELP);
  process.exit();
}
if (out === undefined && !list) fail('--out is required');
if (as !== undefined && !['administrator', 'reviewer'].includes(as))
  fail('--as must be administrator or reviewer');
if (theme !== undefined && !['light', 'dark'].includes(theme))
  fail('--theme must be light or dark');
const widths = values.width?.map(Number) ?? [390, 768, 1440];
if (!widths.every((width) => Number.isInteger(width) && width >= 200))
  fail('--width must be a whole number of pixels, 200 or more');

const options = {
  out: resolve(out ?? ''),
  pages: values.page ?? [],
  paths: values.path ?? [],
  as,
  widths,
  themes: theme === undefined ? ['light', 'dark'] : [theme],
  full,
};
const { status } = spawnSync(
  join('node_modules', '.bin', 'playwright'),
  ['test', '--project=screenshots', ...(list ? ['--list'] : [])],
  {
    cwd: join(import.meta.dirname, '..'),
    env: { ...process.env, SCREENSHOTS: JSON.stringify(options) },
    stdio: 'inherit',
  },
);
process.exitCode = status ?? 1;
