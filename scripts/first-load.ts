import { chromium as playwright, type Browser } from 'playwright';
import { chromium } from '../test/support/chromium.ts';
import { FLAG, readNumber, readOptions, TEXT, TEXTS } from './options.ts';
import { publicViews } from './public-views.ts';

const HELP = `Measures what a first visit to the public pages of a running service loads, in bytes as they are sent.

  npm run demo
  npm run first-load -- --url http://127.0.0.1:3000

  --url <address>   of the service (default http://127.0.0.1:3000); a second one is measured as well, and
                    the first is compared with it: a new build with an old one, each with its own demo
  --path <path>     a page instead of the public views; may be repeated
  --width <px>      of the window (default 1280); below 1024 it is a phone
  --files           each file as well
`;

const {
  url: [url = 'http://127.0.0.1:3000', before] = [],
  path: chosen,
  width: widthText = '1280',
  files: listsFiles,
} = readOptions(HELP, { url: TEXTS, path: TEXTS, width: TEXT, files: FLAG });
const width = readNumber('width', widthText, { least: 200 });

/** A page is loaded when nothing has arrived for this long (ms). */
const QUIET_MS = 1500;
const KINDS = ['Document', 'Script', 'Stylesheet', 'Font'];

interface File {
  url: string;
  kind: string;
  bytes: number;
}

/** All that the page loads with an empty cache. Its live stream doesn't end, so it is not among them. */
async function filesOf(browser: Browser, page: string): Promise<File[]> {
  const isPhone = width < 1024;
  const context = await browser.newContext({
    viewport: { width, height: isPhone ? 844 : 800 },
    ...(isPhone && { isMobile: true, hasTouch: true }),
  });
  try {
    const tab = await context.newPage();
    const session = await context.newCDPSession(tab);
    await session.send('Network.enable');
    const asked = new Map<string, { url: string; kind: string }>();
    const files: File[] = [];
    let last = performance.now();
    session.on('Network.requestWillBeSent', ({ requestId, request, type = 'Other' }) =>
      asked.set(requestId, { url: request.url, kind: type }),
    );
    session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
      const request = asked.get(requestId);
      if (!request || request.url.startsWith('data:')) return;
      files.push({ ...request, bytes: encodedDataLength });
      last = performance.now();
    });
    const answer = await tab.goto(page, { waitUntil: 'load' });
    if (answer?.status() !== 200) throw new Error(`${page}: status ${answer?.status()}`);
    while (performance.now() - last < QUIET_MS) await tab.waitForTimeout(QUIET_MS / 4);
    return files;
  } finally {
    await context.close();
  }
}

const number = new Intl.NumberFormat('en-GB');
const sum = (files: File[]) => files.reduce((total, { bytes }) => total + bytes, 0);
/** Of each kind, of whatever else, and of all. */
const sums = (files: File[]) => [
  ...KINDS.map((kind) => sum(files.filter((file) => file.kind === kind))),
  sum(files.filter((file) => !KINDS.includes(file.kind))),
  sum(files),
];

const browser = await playwright.launch(await chromium());
try {
  const heads = ['Page', 'HTML', 'Scripts', 'Styles', 'Fonts', 'Else', 'Bytes'];
  console.log(`| ${[...heads, ...(before ? ['Before'] : [])].join(' | ')} |`);
  console.log(
    `| --- |${heads
      .slice(before ? 0 : 1)
      .map(() => ' ---: |')
      .join('')}`,
  );
  const paths = chosen ?? [...(await publicViews(url)), '/register', '/embed', '/search?q=a'];
  for (const path of paths) {
    const files = await filesOf(browser, `${url}${path}`);
    const cells = sums(files).map((bytes) => number.format(bytes));
    if (before) {
      const change = sum(files) - sum(await filesOf(browser, `${before}${path}`));
      cells.push(`${change > 0 ? '+' : ''}${number.format(change)}`);
    }
    console.log(`| \`${path}\` | ${cells.join(' | ')} |`);
    if (listsFiles)
      for (const file of [...files].sort((a, b) => b.bytes - a.bytes))
        console.log(`  ${number.format(file.bytes).padStart(9)}  ${file.url.slice(url.length)}`);
  }
} finally {
  await browser.close();
}
