import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { publicViews } from './public-views.ts';
import { optionalPackage } from './optional-package.ts';
import { readOptions, TEXT, TEXTS } from './options.ts';

const HELP = `Checks the HTML of a running service’s public pages with the Nu HTML checker.

  npm run demo
  npm run check:html -- --url http://127.0.0.1:3000

  --url <address>   of the service (default http://127.0.0.1:3000)
  --path <path>     a page instead of the public views; may be repeated

It needs Java 17, and npm install --no-save vnu-jar@26.9.27
`;

const { url = 'http://127.0.0.1:3000', path: chosen } = readOptions(HELP, {
  url: TEXT,
  path: TEXTS,
});

const run = promisify(execFile);

const { default: checker } = await optionalPackage<{ default: { toString(): string } }>(
  'vnu-jar',
  '26.9.27',
);
try {
  await run('java', ['-version']);
} catch {
  console.log('skipped: Java isn’t installed; apt-get install default-jre-headless');
  process.exit(0);
}

/** What the checker says of one page. */
interface Message {
  type: string;
  subType?: string;
  lastLine?: number;
  message: string;
  extract?: string;
}

/** What the public views that other commands look at leave out. */
const MORE = [
  '/?view=list',
  '/?view=globe',
  '/register',
  '/embed',
  '/network',
  '/search?q=a',
  '/no-such-page',
];
const DOCS = [
  'mesh',
  'registry',
  'rest',
  'trpc',
  'identity',
  'embed',
  'status-pages',
  'errors',
  'privacy',
];

async function messagesOf(page: string): Promise<Message[]> {
  const html = await (await fetch(page, { headers: { accept: 'text/html' } })).text();
  const checking = run(
    'java',
    ['-jar', String(checker), '--format', 'json', '--exit-zero-always', '-'],
    {
      maxBuffer: 1 << 26,
    },
  );
  checking.child.stdin?.end(html);
  const { stderr } = await checking;
  return (JSON.parse(stderr) as { messages: Message[] }).messages;
}

const paths = chosen ?? [
  ...(await publicViews(url)),
  ...MORE,
  ...DOCS.map((name) => `/docs/${name}`),
];
let errors = 0;
for (const path of paths) {
  const messages = await messagesOf(`${url}${path}`);
  const wrong = messages.filter(({ type }) => type !== 'info');
  const warnings = messages.filter(({ subType }) => subType === 'warning');
  errors += wrong.length;
  console.log(`${path}: ${wrong.length} errors, ${warnings.length} warnings`);
  for (const { lastLine, message, extract = '' } of [...wrong, ...warnings].slice(0, 10))
    console.log(
      `  ${lastLine ?? ''} ${message}\n    ${extract.replaceAll('\n', ' ').slice(0, 160)}`,
    );
}
process.exitCode = errors === 0 ? 0 : 1;
