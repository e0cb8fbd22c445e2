import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { HOUSE } from './house.mjs';

/**
 * Everything that README, CONTRIBUTING, docs/ and the packages' READMEs name exists: files, folders, npm scripts, pages
 * and headings that they link to. test/examples.test.ts runs their commands.
 */

const root = join(import.meta.dirname, '..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');

const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => file !== '' && existsSync(join(root, file)));
const names = new Set(files.map((file) => basename(file)));
const documents = files.filter((file) => file.endsWith('.md'));

/** The anchor of a heading, as GitHub makes it. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

const anchors = (text: string) =>
  [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading));

/** Text that starts with a folder of the repository is a path: `app/routes/`, `#server/log.ts`, `test/*.test.ts`. */
const PATH = /^#?((?:app|server|db|packages|scripts|test|e2e|deploy|docs|public|\.ci)\/[^\s<>…]*)$/;

/** A file of code without its folder: `router.ts`. */
const CODE_FILE = /^[\w.-]+\.(?:tsx?|mjs|css)$/;

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

/** Whether a path exists; of a pattern, its folder. A path that ends with a slash is a folder. */
function exists(path: string): boolean {
  const fixed = path.includes('*') ? `${dirname(`${path.split('*')[0]}_`)}/` : path;
  const found = statSync(join(root, fixed), { throwIfNoEntry: false });
  return fixed.endsWith('/') ? found?.isDirectory() === true : found !== undefined;
}

it('documents are found', () => {
  expect(documents).toContain('README.md');
  expect(documents).toContain('packages/agent/README.md');
  expect(documents.length).toBeGreaterThan(20);
});

describe.each(documents)('%s', (document) => {
  const text = read(document);

  it('links to pages and headings that exist', () => {
    const links = withoutBlocks(text).matchAll(/\]\(((?!https?:)[^)#]*)(?:#([^)]*))?\)/g);
    const broken = [...links].filter(([, target = '', anchor]) => {
      const file = target === '' ? document : join(dirname(document), decodeURIComponent(target));
      if (!existsSync(join(root, file))) return true;
      return anchor !== undefined && !anchors(read(file)).includes(anchor);
    });
    expect(broken.map(([link]) => link)).toEqual([]);
  });

  it('names files and folders that exist', () => {
    const spans = [...withoutBlocks(text).matchAll(/`([^`\n]+)`/g)].map(([, span = '']) => span);
    const paths = [...spans.flatMap((span) => span.match(PATH)?.[1] ?? []), ...treePaths(text)];
    const loose = spans.filter((span) => CODE_FILE.test(span) && !names.has(span));
    expect([...paths.filter((path) => !exists(path)), ...loose]).toEqual([]);
  });

  it('names npm scripts that exist', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    const named = [...text.matchAll(/npm (?:run ([\w:-]+)|(start|test))\b/g)].map(
      ([, script, command]) => script ?? command ?? '',
    );
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
  });
});

it('code names documents and headings that exist', () => {
  const code = files.filter((file) => /\.(tsx?|mjs|js|ya?ml|env|conf)$/.test(file));
  const named = code.flatMap((file) =>
    [...read(file).matchAll(/\bdocs\/[\w/-]+\.(?:md|svg|png|webp)/g)].map(
      ([path]) => `${file}: ${path}`,
    ),
  );
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((one) => !existsSync(join(root, one.split(': ')[1] ?? '')))).toEqual([]);
});

it('decisions are listed, and have at most 300 words', () => {
  const decisions = documents.filter((file) => /^docs\/decisions\/\d/.test(file));
  const list = read('docs/decisions/README.md');
  for (const file of decisions) {
    const [title = '', , ...rest] = read(file).split('\n');
    expect(list).toContain(`- ${parseInt(basename(file))}: [`);
    expect(list, file).toContain(`(${basename(file)})`);
    expect(title).toMatch(new RegExp(`^# ${parseInt(basename(file))}\\. `));
    const words = rest
      .join(' ')
      .split(/\s+/)
      .filter((word) => /\p{L}|\p{N}/u.test(word));
    expect(words.length, file).toBeLessThanOrEqual(300);
  }
});

it.each(['packages/peer', 'packages/protocol'])('the table of rooms of %s is whole', (zone) => {
  const rooms = HOUSE.find((each) => each.zone === zone)?.rooms ?? [];
  const table = /\n\| Room .*\n\|.*\n((?:\|.*\n)+)/.exec(read(`${zone}/README.md`))?.[1] ?? '';
  const named = [...table.matchAll(/^\| `([^`]+)`/gm)].map(([, room]) => room);
  // The door says nothing of its own.
  expect(named.filter((room) => room !== 'index.ts')).toEqual(
    rooms
      .map(([room]) => (room.includes('.') ? room : `${room}/`))
      .filter((room) => room !== 'index.ts'),
  );
});

describe('the pictures of the pages', () => {
  const pictures = files.filter((file) => file.startsWith('docs/pictures/'));
  const shown = ['README.md', 'docs/site.md'].flatMap((document) =>
    [...read(document).matchAll(/<img [^>]*>/g)].map(([tag]) => {
      const of = (name: string) => new RegExp(`\\b${name}="([^"]*)"`).exec(tag)?.[1] ?? '';
      return { document, tag, path: join(dirname(document), of('src')), of };
    }),
  );

  it('are ten, small, and all shown', () => {
    expect(pictures).toHaveLength(10);
    expect(shown.map(({ path }) => path).sort()).toEqual(expect.arrayContaining(pictures));
    for (const picture of pictures)
      expect(statSync(join(root, picture)).size, picture).toBeLessThanOrEqual(60_000);
  });

  it('exist, in the size that is reserved for them, and are described', () => {
    for (const { path, tag, of, document } of shown) {
      const picture = readFileSync(join(root, path));
      // Chromium writes the extended format: the width and the height less one, 24 bits each.
      expect(picture.toString('latin1', 8, 16), path).toBe('WEBPVP8X');
      const [width, height] = [24, 27].map((at) => picture.readUIntLE(at, 3) + 1);
      expect([path, width, height]).toEqual([path, Number(of('width')), Number(of('height'))]);
      expect(of('alt').length, tag).toBeGreaterThan(20);
      if (document !== 'README.md') expect(tag).toContain('loading="lazy"');
    }
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
