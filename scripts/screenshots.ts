import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { chromium as playwright } from 'playwright';
import { chromium } from '../test/support/chromium.ts';

/**
 * `npm run screenshots -- --url http://127.0.0.1:3000 --out /tmp/shots`: every page of a running
 * service (`npm run demo`, for one) at three widths, by day and by night, to be looked at.
 */

const WIDTHS = [390, 768, 1440];
const THEMES = ['light', 'dark'] as const;
/** After this the map has drawn and the stream is live (ms). */
const SETTLE_MS = 2500;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    url: { type: 'string', default: 'http://127.0.0.1:3000' },
    out: { type: 'string', default: join('test-results', 'screenshots') },
    full: { type: 'boolean', default: false },
  },
});

/** Pages that show something of what is there: a name and a node of the running service. */
async function pages(): Promise<string[]> {
  const response = await fetch(`${values.url}/api/registry`);
  const { entries } = (await response.json()) as { entries: { name: string; nodeId: string }[] };
  const one = entries[0];
  return [
    '/',
    '/?view=list',
    '/?q=garage&node=genesis',
    '/computes',
    '/registry',
    ...(one ? [`/registry/${one.name}`, `/nodes/${one.nodeId}`] : []),
    '/nodes/node_never_seen',
    '/docs',
    '/docs/operators',
    '/docs/status-pages',
    '/docs/privacy',
    '/status',
    '/there/is/nothing',
  ];
}

await mkdir(values.out, { recursive: true });
const browser = await playwright.launch(await chromium());
for (const path of positionals.length > 0 ? positionals : await pages())
  for (const width of WIDTHS)
    for (const colorScheme of THEMES) {
      const phone = width < 500;
      const context = await browser.newContext({
        viewport: { width, height: phone ? 844 : 900 },
        colorScheme,
        hasTouch: phone,
        isMobile: phone,
      });
      const page = await context.newPage();
      await page.goto(values.url + path);
      await page.waitForTimeout(SETTLE_MS);
      const name = path.replace(/[^\w]+/g, '-').replace(/^-|-$/g, '') || 'map';
      const file = join(values.out, `${name}-${width}-${colorScheme}.png`);
      await page.screenshot({ path: file, fullPage: values.full });
      const wide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
      console.log(`${file}${wide ? '  WIDER THAN THE SCREEN' : ''}`);
      await context.close();
    }
await browser.close();
