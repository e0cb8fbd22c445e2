import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { allFeatures, allSpecs, specsOf } from './changed-specs.mjs';

const root = join(import.meta.dirname, '..');

it('every spec belongs to a feature or to all pages', () => {
  const specs = readdirSync(join(root, 'e2e')).flatMap(
    (name) => /^(?!screenshots)(.+)\.spec\.ts$/.exec(name)?.[1] ?? [],
  );
  expect(allSpecs()).toEqual(specs.sort());
});

it('every feature has specs', () => {
  expect(allFeatures()).toEqual(readdirSync(join(root, 'app', 'features')).sort());
});

it.each([
  ['app/features/search/search-page.tsx', ['search']],
  ['app/routes/network.tsx', ['network']],
  ['app/routes/computes[.]json.ts', ['compare', 'computes', 'resting-url']],
  ['app/routes/healthz.ts', ['status']],
  ['server/search/index.ts', ['search']],
  ['app/ui/page.tsx', ['accessible', 'navigation']],
  ['e2e/docs.spec.ts', ['docs']],
  ['e2e/screenshots.spec.ts', []],
  ['e2e/support/test.ts', allSpecs()],
  ['app/features/search/search.test.ts', []],
  ['db/connection/pool.ts', []],
  ['README.md', []],
])('%s selects %s', (file, specs) => {
  expect(specsOf([file])).toEqual(specs);
});

it('several files select each spec once', () => {
  expect(specsOf(['server/status/index.ts', 'app/features/status/a.tsx', 'app/ui/b.tsx'])).toEqual([
    'accessible',
    'navigation',
    'status',
  ]);
});
