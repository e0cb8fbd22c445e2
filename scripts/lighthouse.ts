import { chromium } from '../test/support/chromium.ts';
import { publicViews } from './public-views.ts';
import { optionalPackage } from './optional-package.ts';
import { readOptions, TEXT, TEXTS } from './options.ts';

const HELP = `Measures pages of a running service with Lighthouse as on a phone: the median of several runs.

  npm run demo
  npm run lighthouse -- --url http://127.0.0.1:3000

  --url <address>   of the service (default http://127.0.0.1:3000)
  --path <path>     a page instead of the seven public views; may be repeated
  --runs <n>        of each page (default 3)

Lighthouse is no dependency, because it is larger than all others together:
npm install --no-save lighthouse@12.8.2`;

const {
  url = 'http://127.0.0.1:3000',
  path: paths = [],
  runs = '3',
} = readOptions(HELP, {
  url: TEXT,
  path: TEXTS,
  runs: TEXT,
});

/** What is used of Lighthouse. */
interface Lighthouse {
  default(
    url: string,
    flags: { port: number; output: 'json'; logLevel: 'error' },
  ): Promise<
    { lhr: { categories: Record<string, { score: number | null }>; audits: Audits } } | undefined
  >;
}
type Audits = Record<string, { score: number | null; title: string; displayValue?: string }>;
interface Launcher {
  launch(options: { chromePath: string; chromeFlags: string[] }): Promise<{
    port: number;
    kill(): void;
  }>;
}

const lighthouse = await optionalPackage<Lighthouse>('lighthouse', '12.8.2');
const launcher = await optionalPackage<Launcher>('chrome-launcher', '1.2.1');

const CATEGORIES = ['performance', 'accessibility', 'best-practices', 'seo'];

const median = (values: number[]) =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;

const { executablePath, args, env } = await chromium();
Object.assign(process.env, env);
console.log(
  `| Page | ${CATEGORIES.join(' | ')} |\n| --- | ${CATEGORIES.map(() => '---:').join(' | ')} |`,
);
let isGood = true;
for (const path of paths.length > 0 ? paths : await publicViews(url)) {
  const scores: Record<string, number[]> = {};
  const failed = new Set<string>();
  for (let run = 0; run < Number(runs); run++) {
    const browser = await launcher.launch({
      chromePath: executablePath,
      chromeFlags: ['--headless=new', '--no-sandbox', ...args],
    });
    try {
      const result = await lighthouse.default(`${url}${path}`, {
        port: browser.port,
        output: 'json',
        logLevel: 'error',
      });
      if (!result) throw new Error(`Lighthouse answered nothing for ${path}`);
      const { categories, audits } = result.lhr;
      for (const name of CATEGORIES)
        (scores[name] ??= []).push(Math.round((categories[name]?.score ?? 0) * 100));
      for (const { score, title, displayValue } of Object.values(audits))
        if (score !== null && score < 0.9) failed.add(`${title} ${displayValue ?? ''}`.trim());
    } finally {
      browser.kill();
    }
  }
  const medians = CATEGORIES.map((name) => median(scores[name] ?? []));
  isGood &&= medians.every((score) => score >= 95);
  console.log(`| \`${path}\` | ${medians.join(' | ')} |`);
  if (medians.some((score) => score < 95)) for (const one of failed) console.log(`  - ${one}`);
}
process.exitCode = isGood ? 0 : 1;
