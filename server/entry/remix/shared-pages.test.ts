import { setMaxListeners } from 'node:events';
import { expect, test } from 'vitest';
import { RenderedPage } from './rendered-page.ts';
import { createRenderQueue, RENDERING } from './render-queue.ts';
import { SharedPages } from './shared-pages.ts';

const forever = new AbortController().signal;
setMaxListeners(0, forever);

/** Shared pages, and for whom they were rendered. */
function setUp() {
  const pages = new SharedPages(
    createRenderQueue(() => false, RENDERING),
    RENDERING,
  );
  const rendered: string[] = [];
  const ask = (url: string, client: string, signal = forever) =>
    pages.render(
      url,
      () => client,
      signal,
      () => {
        rendered.push(`${url} for ${client}`);
        return RenderedPage.of(new Response('page'));
      },
    );
  return { rendered, ask };
}

test('a crowd behind one address gets a page that is rendered once', async () => {
  const { rendered, ask } = setUp();
  await Promise.all(Array.from({ length: 500 }, () => ask('/', 'a')));
  expect(rendered).toEqual(['/ for a']);
});

test('nothing is kept of a client that was refused or had gone: the next one has the page rendered for itself', async () => {
  const { rendered, ask } = setUp();
  const urls = Array.from({ length: 100 }, (_, n) => `/?${n}`);
  const ends = await Promise.allSettled(urls.map((url) => ask(url, 'a')));
  const refused = urls.filter((_, n) => ends[n]?.status === 'rejected');
  await expect(ask('/gone', 'a', AbortSignal.abort(new Error('hung up')))).rejects.toThrow();
  rendered.length = 0;
  await Promise.all([...refused, '/gone'].map((url) => ask(url, 'b')));
  expect(refused).toHaveLength(36);
  expect(rendered).toEqual([...refused, '/gone'].map((url) => `${url} for b`));
});
