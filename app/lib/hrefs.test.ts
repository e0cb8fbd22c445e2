import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { historyHref } from '#server/audit/history.schema.ts';
import { meshHref, parseMeshQuery } from '#server/mesh/mesh-query.schema.ts';
import { reservedNamesHref } from '#server/names/reserved-names.schema.ts';
import { paymentsHref } from '#server/payments/payments.schema.ts';
import { readSearch, searchHref } from '#server/registry/search.schema.ts';
import { searchPageHref } from '#server/search/search.schema.ts';
import * as hrefs from './hrefs.ts';

/** Every function below `hrefs`, called with a sample for each argument that it needs: its name → the address. */
function addresses(of: object, prefix = ''): [string, string][] {
  return Object.entries(of).flatMap(([key, value]: [string, unknown]) => {
    const name = `${prefix}${key}`;
    if (typeof value !== 'function') return addresses(value as object, `${name}.`);
    const make = value as (...samples: string[]) => string;
    return [[name, make(...Array<string>(make.length).fill('1'))]];
  });
}

const pathOf = (href: string) => href.replace(/[?#].*/, '');

/** Routes of pages and files, by what their names say: the file → paths that it is for. */
const files = readdirSync(join(import.meta.dirname, '../routes')).map((file) =>
  file.replace(/\.tsx?$/, ''),
);
const routes = files
  // Layouts have no address, and a route of everything else is linked by none.
  .filter((file) => !files.includes(`${file}._index`) && !file.endsWith('$'))
  .map((file) => {
    const segments = file
      .replaceAll(/\[(.)\]/g, '\0')
      .split('.')
      .filter((part) => part !== '_index')
      .map((part) => part.replace(/_$/, '').replaceAll('\0', '.').replace(/\$\w+/, '[^/]+'));
    return { file, pattern: new RegExp(`^/${segments.join('/')}$`) };
  });

describe('addresses of the site', () => {
  const made = addresses(hrefs);

  it('each have a route', () => {
    const lost = made.filter(
      ([name, href]) =>
        name !== 'api.trpc' && !routes.some(({ pattern }) => pattern.test(pathOf(href))),
    );
    expect(lost).toEqual([]);
  });

  it('lead to every page', () => {
    const paths = made.map(([, href]) => pathOf(href));
    const unlinked = routes.filter(({ pattern }) => !paths.some((path) => pattern.test(path)));
    // Addresses that only programs and crawlers ask for, and a link that is shown to be copied.
    expect(unlinked.map(({ file }) => file).sort()).toEqual([
      'api.mesh',
      'api.mesh_.nodes.$id',
      'api.mesh_.nodes.$id_.registrations',
      'api.mesh_.ping',
      'api.registry_.register',
      'manifest[.]webmanifest',
      'review_.join.$token',
      'robots[.]txt',
      'sitemap[.]xml',
    ]);
  });

  it('are encoded', () => {
    expect(hrefs.node('a/b?c')).toBe('/nodes/a%2Fb%3Fc');
    expect(hrefs.review.registration('MESH 1')).toBe('/review/registrations/MESH%201');
    expect(hrefs.signIn('/review?open=MESH-1&a')).toBe(
      '/review/sign-in?next=%2Freview%3Fopen%3DMESH-1%26a',
    );
    expect(hrefs.register({ name: 'shed' })).toBe('/register?name=shed');
    expect(hrefs.docs.area('mesh', 'getNodeKey')).toBe('/docs/mesh#getNodeKey');
    expect(hrefs.docs.errors('not_found')).toBe('/docs/errors#error-not_found');
    expect(hrefs.docs.errors()).toBe('/docs/errors');
  });

  it('leave out parameters that are not given', () => {
    expect(hrefs.review.queue({ open: undefined })).toBe('/review');
    expect(hrefs.review.queue({ index: '', open: 'MESH-1' })).toBe('/review?index=&open=MESH-1');
    expect(hrefs.registration('reg_1')).toBe('/register/reg_1');
    expect(hrefs.registration('reg_1', 'MESH 1&2')).toBe('/register/reg_1?earlier=MESH+1%262');
  });

  it('are the same as those that the service writes with the state of a page', () => {
    const nothing = new URLSearchParams();
    expect(meshHref(parseMeshQuery(nothing))).toBe(hrefs.map());
    expect(searchHref(readSearch(nothing))).toBe(hrefs.registry());
    expect(searchPageHref('')).toBe(hrefs.search());
    expect(reservedNamesHref({ q: '', page: 1 })).toBe(hrefs.review.names());
    expect(paymentsHref('imports')).toBe(hrefs.review.payments({ tab: 'imports' }));
    expect(historyHref({ q: '', actor: '', event: null, from: '', until: '' })).toBe(
      hrefs.review.history(),
    );
  });
});
