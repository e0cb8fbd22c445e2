import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, test } from 'vitest';
import { shortClass } from '../../scripts/chunks.ts';

/**
 * TypeScript does not know the classes of a CSS module: a misspelt one would silently style nothing, and one
 * that nobody uses any more would be sent to visitors forever.
 */

const root = join(import.meta.dirname, '..', '..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');
const files = readdirSync(join(root, 'app'), { recursive: true, encoding: 'utf8' }).map((file) =>
  join('app', file),
);
const modules = files.filter((file) => file.endsWith('.module.css'));
const sources = files.filter((file) => /\.tsx?$/.test(file) && !file.includes('.test.'));

const classesOf = (css: string) =>
  new Set(
    // Without comments, and without the classes of others.
    [
      ...css
        .replace(/\/\*.*?\*\/|:global\([^)]*\)/gs, '')
        .matchAll(/\.([a-zA-Z][\w-]*)(?=[^{};]*\{)/g),
    ].map(([, name = '']) => name),
  );

/** What each module's importers read from it; null where a name is computed. */
const uses = new Map<string, (string | null)[]>();
for (const source of sources) {
  const text = read(source);
  const body = text.replace(/^(import|\} from) .*$/gm, '');
  for (const [, name = '', from = ''] of text.matchAll(
    /import (\w+) from '([^']+\.module\.css)'/g,
  )) {
    const module = from.startsWith('#') ? from.slice(1) : normalize(join(dirname(source), from));
    const names = uses.get(module) ?? [];
    uses.set(module, names);
    for (const [, property, literal] of body.matchAll(
      new RegExp(`\\b${name}(?:\\.(\\w+)|\\['([^']+)'\\]|\\[)`, 'g'),
    ))
      names.push(property ?? literal ?? null);
  }
}

test.each(modules)('%s: every class is used, and every class used is there', (module) => {
  const css = read(module);
  const defined = classesOf(css);
  const used = uses.get(module) ?? [];
  const composed = [...css.matchAll(/composes:\s*([\w\s-]+?)(?:\s+from|;)/g)].flatMap(
    ([, names = '']) => names.trim().split(/\s+/),
  );
  for (const name of used) if (name !== null) expect(defined, module).toContain(name);
  // A computed name, such as the class of a status, may be any.
  if (used.includes(null)) return;
  for (const name of defined) expect([...used, ...composed], module).toContain(name);
});

test('no two components have the same class', () => {
  const owners = new Map<string, string>();
  for (const module of modules)
    for (const name of classesOf(read(module))) {
      const short = shortClass(name, join(root, module));
      expect([short, owners.get(short) ?? module]).toEqual([short, module]);
      owners.set(short, module);
    }
  expect(owners.size).toBeGreaterThan(300);
});
