import { spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { fail, FLAG, readNumber, readOptions, TEXT, TEXTS } from './options.ts';

/** `npm run screenshots`: runs e2e/screenshots.spec.ts, which Playwright cannot give options of its own. */

const HELP = `Screenshots of every page at 390, 768 and 1440 px in both themes, from its own seeded service.

  npm run screenshots -- --out /tmp/shots
  npm run screenshots -- --out /tmp/shots --page computes --width 390 --theme dark
  npm run screenshots -- --pictures
  npm run screenshots -- --out /tmp/shots --path '/computes?q=gpu' --full

  --out DIR       where the files go; required
  --page NAME     only this page or group of pages; may be repeated
  --path PATH     any path of the service instead; may be repeated
  --as ROLE       who opens --path: administrator or reviewer
  --width PX      only this width; any number; may be repeated
  --theme THEME   light or dark
  --full          the whole page instead of one screen
  --pictures      the pictures of README and docs/site.md instead, into docs/pictures
  --list          prints the names of the pictures
  --help
`;

const { list, pictures, ...values } = readOptions(HELP, {
  out: TEXT,
  page: { ...TEXTS, default: [] },
  path: { ...TEXTS, default: [] },
  as: TEXT,
  width: { ...TEXTS, default: ['390', '768', '1440'] },
  theme: TEXT,
  full: FLAG,
  pictures: FLAG,
  list: FLAG,
});
const out = pictures ? join(import.meta.dirname, '..', 'docs', 'pictures') : values.out;
const { page: pages, path: paths, as, theme, full } = values;
if (out === undefined && !list) fail('--out is required');
if (as !== undefined && !['administrator', 'reviewer'].includes(as))
  fail('--as must be administrator or reviewer');
if (theme !== undefined && !['light', 'dark'].includes(theme))
  fail('--theme must be light or dark');
const options = {
  out: resolve(out ?? ''),
  pages,
  paths,
  as,
  widths: values.width.map((width) => readNumber('width', width, { least: 200 })),
  themes: theme === undefined ? ['light', 'dark'] : [theme],
  full,
  pictures,
};
const { status } = spawnSync(
  join('node_modules', '.bin', 'playwright'),
  [
    'test',
    '--project=screenshots',
    ...(pictures ? ['--workers=1'] : []),
    ...(list ? ['--list'] : []),
  ],
  {
    cwd: join(import.meta.dirname, '..'),
    env: { ...process.env, SCREENSHOTS: JSON.stringify(options) },
    stdio: 'inherit',
  },
);
process.exitCode = status ?? 1;
