import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startTestServer } from './support/server.ts';
import { sh } from './support/shell.ts';

/** README, CONTRIBUTING and docs/: their commands work, and everything they name exists. */

const root = join(import.meta.dirname, '..');
const read = (document: string) => readFileSync(join(root, document), 'utf8');

const documents = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md'))
    .map((file) => join('docs', file)),
].filter((document) => existsSync(join(root, document)));

type Answer = Record<string, unknown>;

/** Runs the `sh` block below a heading against a fresh service, and returns every JSON answer in order. */
async function answersOf(document: string, heading: string): Promise<Answer[]> {
  const section = read(document).split(`\n## ${heading}\n`)[1] ?? '';
  const commands = section.match(/```sh\n([\s\S]*?)```/)?.[1];
  expect(commands, `${document} has commands below "${heading}"`).toBeDefined();
  const server = await startTestServer();
  try {
    const script = commands
      ?.replaceAll('http://127.0.0.1:3000', server.url)
      // Ends each answer with a line break, so that it has a line of its own.
      .replace(/^(curl .*)$/gm, '$1\necho');
    return (await sh(script ?? ''))
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as Answer);
  } finally {
    await server.stop();
  }
}

describe('commands', () => {
  it('the five requests of README work as written', async () => {
    const answers = await answersOf('README.md', 'Five requests');
    expect(answers).toHaveLength(5);
    const [ping, mesh, announce, computes, registration] = answers;
    expect(ping).toMatchObject({ ok: true, isNew: true });
    expect(mesh).toMatchObject({ stats: { peers: 1, online: 1 } });
    expect(announce).toMatchObject({ computes: [{ listed: false, reason: 'name_not_active' }] });
    expect(computes).toMatchObject({ stats: { total: 0 } });
    expect(registration).toMatchObject({ status: 'pending_payment', name: 'garage' });
  });

  it('every line of the curl tour works as written', async () => {
    const answers = await answersOf('docs/http-api.md', 'Tour with curl');
    expect(answers).toHaveLength(19);
    const [
      ping,
      mesh,
      network,
      node,
      places,
      ,
      dry,
      key,
      announce,
      computes,
      ,
      ,
      free,
      confirmed,
      registration,
    ] = answers;
    expect(ping).toMatchObject({ ok: true, isNew: true, peer: { lat: 37.5, lng: -122.5 } });
    expect(mesh).toMatchObject({ stats: { peers: 1, online: 1 } });
    for (const history of [network, node]) expect(history).toMatchObject({ stepSeconds: 900 });
    expect(places).toMatchObject({ stepSeconds: 86_400 });
    expect(dry).toMatchObject({ ok: true, dryRun: true });
    expect(key).toMatchObject({ ok: true, key: null });
    expect(announce).toMatchObject({ computes: [{ listed: false, reason: 'name_not_active' }] });
    expect(computes).toMatchObject({ stats: { total: 0 } });
    expect(free).toMatchObject({ available: true });
    expect(confirmed).toMatchObject({ status: 'pending_review' });
    expect(registration).toMatchObject({ status: 'pending_review', name: 'garage' });
    for (const answer of answers) expect(answer).not.toMatchObject({ ok: false });
  });

  it('of every document run only npm scripts that exist', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Answer };
    const named = documents.flatMap((document) =>
      [...read(document).matchAll(/npm (?:run ([\w:-]+)|start|test)/g)].map(
        ([command, name]) => `${document}: ${name ?? command.split(' ')[1]}`,
      ),
    );
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter((one) => !((one.split(': ')[1] ?? '') in scripts))).toEqual([]);
  });
});

/** The anchor of a heading, as GitHub makes it. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

const anchors = (text: string) =>
  [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading));

/** Text that starts with a folder of the repository is a path: `app/routes/`, `#server/log.ts`, `test/*.test.ts`. */
const PATH = /^#?((?:app|server|db|scripts|test|e2e|deploy|docs|public|\.ci)\/[^\s<>…]*)$/;

const withoutBlocks = (text: string) => text.replace(/^```[\s\S]*?^```/gm, '');

/** The paths of a `text` block that starts with a folder and indents what is in it, two spaces a level. */
function treePaths(text: string): string[] {
  return [...text.matchAll(/^```text\n([\s\S]*?)^```/gm)].flatMap(([, block = '']) => {
    const above: string[] = [];
    return block.split('\n').flatMap((line) => {
      const [, indent = '', name] = line.match(/^( *)(\S+)/) ?? [];
      if (name === undefined) return [];
      above.splice(indent.length / 2, Infinity, name);
      return [above.join('')];
    });
  });
}

describe.each(documents)('%s', (document) => {
  it('links to pages and headings that exist', () => {
    const text = withoutBlocks(read(document));
    const links = text.matchAll(/\]\(((?!https?:)[^)#]*)(?:#([^)]*))?\)/g);
    const broken = [...links].filter(([, target = '', anchor]) => {
      const file = target === '' ? document : join(dirname(document), decodeURIComponent(target));
      if (!existsSync(join(root, file))) return true;
      return anchor !== undefined && !anchors(read(file)).includes(anchor);
    });
    expect(broken.map(([link]) => link)).toEqual([]);
  });

  it('names files and folders that exist', () => {
    const text = read(document);
    const spans = [...withoutBlocks(text).matchAll(/`([^`\n]+)`/g)].map(([, span = '']) => span);
    const paths = [...spans.flatMap((span) => span.match(PATH)?.[1] ?? []), ...treePaths(text)];
    const missing = paths.filter((path) => {
      // For a pattern, its folder must exist.
      const fixed = path.includes('*') ? `${dirname(`${path.split('*')[0]}_`)}/` : path;
      const found = statSync(join(root, fixed), { throwIfNoEntry: false });
      return fixed.endsWith('/') ? !found?.isDirectory() : found === undefined;
    });
    expect(missing).toEqual([]);
  });
});

it('README fits on a few screens', () => {
  expect(read('README.md').split('\n').length).toBeLessThanOrEqual(101);
});

it('every environment variable is documented', () => {
  const variables = [...read('server/config.ts').matchAll(/^ {4}([A-Z_]+): /gm)].map(
    ([, name = '']) => name,
  );
  expect(variables.length).toBeGreaterThan(20);
  const page = read('docs/configuration.md');
  for (const name of variables) expect(page, name).toContain(`\`${name}`);
});
