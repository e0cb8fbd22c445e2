import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SearchResult } from '#server/search/search.schema.ts';
import { activeName, aCompute, aPing } from '../contract/contract.ts';
import { revoke } from '../support/decisions.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { openPage } from './page.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

const search = async (q: string) => {
  const input = encodeURIComponent(JSON.stringify({ q }));
  const response = await server.get(`/api/trpc/search?input=${input}`);
  const { result } = (await response.json()) as { result: { data: SearchResult } };
  return result.data;
};
const found = async (q: string) => (await search(q)).hits.map(({ kind, id }) => `${kind} ${id}`);
const ping = (nodeId: string, fields = {}) =>
  server.post('/api/mesh/ping', aPing({ nodeId, ...fields }));
const announce = (nodeId: string, ...computes: Record<string, unknown>[]) =>
  server.post('/api/registry/computes', { nodeId, computes: computes.map(aCompute) });

describe('the search across the site', () => {
  test('nodes, names and listed compute offers are found, the best matches first', async () => {
    await ping('cellar_2', { label: 'Größe 2' });
    await ping('node_cellar', { label: 'Attic' });
    const { id } = await activeName(server, {
      name: 'cellar',
      nodeId: 'node_1',
      kinds: ['compute'],
    });
    await announce('node_1', { name: 'cellar', image: 'acme/llama:3' }, { name: 'hidden' });

    expect(await found('Cellar')).toEqual(['name cellar', 'node cellar_2', 'node node_cellar']);
    expect(await found('größe')).toEqual(['node cellar_2']);
    expect(await found('LLAMA')).toEqual(['compute node_1:cellar']);
    expect((await search('llama')).hits[0]).toMatchObject({ href: '/registry/cellar' });
    // Announced, but its name is not active.
    expect(await found('hidden')).toEqual([]);
    expect(await found('genes')).toEqual(['node genesis']);
    expect(await found(' \u0007 ')).toEqual([]);

    await revoke(server.services, { id, reviewer: 'ada', reason: 'spam' });
    expect(await found('cellar')).toEqual(['node cellar_2', 'node node_cellar']);
    expect(await found('llama')).toEqual([]);
  });

  test('a node is found by its present label only, and by none while it is blocked', async () => {
    await ping('shed', { label: 'before' });
    await ping('shed', { label: 'after' });
    expect([await found('before'), await found('after')]).toEqual([[], ['node shed']]);
    await server.services.nodes.block({ nodeId: 'shed', reason: 'spam', reviewer: 'ada' });
    expect(await found('after')).toEqual([]);
  });

  test('a compute offer is found by its present image only', async () => {
    await activeName(server, { name: 'renewed', nodeId: 'node_2', kinds: ['compute'] });
    await announce('node_2', { name: 'renewed', image: 'acme/mistral:1' });
    await announce('node_2', { name: 'renewed', image: 'acme/gemma:2' });
    expect([await found('mistral'), await found('gemma')]).toEqual([
      [],
      ['compute node_2:renewed'],
    ]);
  });

  test('ten of each kind are listed, and the page leads to all of them', async () => {
    for (let n = 0; n < 12; n++) await ping(`many_${n}`);
    const { hits, more } = await search('many');
    expect([hits.length, more]).toEqual([10, ['node']]);
    const { status, html, meta } = await openPage(server, '/search?q=many');
    expect(status).toBe(200);
    expect(html).toContain('href="/?view=list&amp;q=many"');
    expect(meta('robots')).toBe('noindex');
  });

  test('whatever is searched for is shown as text', async () => {
    const q = '<b>"&';
    const { html, text } = await openPage(server, `/search?q=${encodeURIComponent(q)}`);
    expect(html).not.toContain('<b>');
    expect(text).toContain(`Nothing matches “${q}”`);
    expect((await openPage(server, '/search')).text).toContain('Enter part of');
  });
});
