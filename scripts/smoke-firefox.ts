import { existsSync } from 'node:fs';
import { publicViews } from './public-views.ts';
import { optionalPackage } from './optional-package.ts';
import { readOptions, TEXT } from './options.ts';

const HELP = `Opens the public views of a running service in Firefox, and takes the first steps of the wizard.

  npm run demo
  npm run smoke:firefox -- --url http://127.0.0.1:3000

  --url <address>       of the service (default http://127.0.0.1:3000)
  --firefox <program>   (default /usr/bin/firefox-esr or /usr/bin/firefox)

It needs Debian's firefox-esr, and npm install --no-save puppeteer-core@24`;

const { url = 'http://127.0.0.1:3000', firefox } = readOptions(HELP, { url: TEXT, firefox: TEXT });

/** What is used of puppeteer-core, by WebDriver BiDi. */
interface Page {
  on(event: 'pageerror', listener: (error: Error) => void): void;
  on(event: 'console', listener: (message: { type(): string; text(): string }) => void): void;
  goto(url: string, options: { waitUntil: 'load' }): Promise<{ status(): number } | null>;
  waitForSelector(selector: string): Promise<{
    type(text: string): Promise<void>;
    press(key: 'Enter'): Promise<void>;
  } | null>;
}
interface Puppeteer {
  default: {
    launch(options: {
      browser: 'firefox';
      executablePath: string;
      headless: true;
    }): Promise<{ newPage(): Promise<Page>; version(): Promise<string>; close(): Promise<void> }>;
  };
}

const executablePath = [firefox, '/usr/bin/firefox-esr', '/usr/bin/firefox'].find(
  (path) => path !== undefined && existsSync(path),
);
if (executablePath === undefined) {
  console.log('skipped: Firefox isn’t installed; apt-get install firefox-esr');
  process.exit(0);
}
const puppeteer = await optionalPackage<Puppeteer>('puppeteer-core', '24');

const VIEWS = [...(await publicViews(url)), '/?view=globe', '/?view=list', '/search?q=a'];

const LEFT = /was interrupted while the page was loading/;

const browser = await puppeteer.default.launch({
  browser: 'firefox',
  executablePath,
  headless: true,
});
let failures = 0;
try {
  const page = await browser.newPage();
  let errors: string[] = [];
  page.on('pageerror', ({ message }) => {
    if (!LEFT.test(message)) errors.push(message);
  });
  page.on('console', (message) => {
    // Firefox reports a stream that ends because its page is left.
    if (message.type() === 'error' && !LEFT.test(message.text())) errors.push(message.text());
  });
  console.log(await browser.version());

  /** Runs a step and says how it went: errors of the page fail it. */
  const step = async (what: string, run: () => Promise<void>) => {
    errors = [];
    await run().catch((error: unknown) => errors.push(String(error)));
    if (errors.length > 0) failures++;
    console.log(`${errors.length === 0 ? 'ok    ' : 'FAILED'} ${what}`);
    for (const error of errors) console.log(`       ${error}`);
  };
  for (const path of VIEWS)
    await step(path, async () => {
      const response = await page.goto(`${url}${path}`, { waitUntil: 'load' });
      if (response?.status() !== 200) throw new Error(`status ${response?.status()}`);
      await page.waitForSelector('main');
    });
  await step('/register: a name is checked, and the next step follows', async () => {
    await page.goto(`${url}/register`, { waitUntil: 'load' });
    const field = await page.waitForSelector('input[name="name"]');
    await field?.type(`smoke-${Date.now().toString(36)}`);
    await field?.press('Enter');
    // The field of the next step.
    await page.waitForSelector('input[name="node"]');
  });
} finally {
  await browser.close();
}
process.exitCode = failures === 0 ? 0 : 1;
