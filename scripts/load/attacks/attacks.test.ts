import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { startHttpServer, type HttpServer } from '../../../test/support/http-server.ts';
import { until } from '../../../test/support/until.ts';
import { crawl } from './crawler.ts';
import { holdConnections } from './held.ts';

let server: HttpServer | undefined;
afterEach(async () => {
  await server?.stop();
});

describe('the attackers of the bench', () => {
  it('hold connections of which no request ends and no answer is read, and come back when they are closed', async () => {
    const megabyte = Buffer.alloc(1_000_000);
    const count = { opened: 0, open: 0 };
    const answers: ServerResponse[] = [];
    server = await startHttpServer((_, response) => {
      answers.push(response);
      // More than the system buffers.
      for (let n = 0; n < 20; n++) response.write(megabyte);
      response.end();
    });
    server.server.on('connection', (socket) => {
      count.opened++;
      count.open++;
      socket.once('close', () => count.open--);
    });
    const head = 'GET / HTTP/1.1\r\nhost: localhost\r\n';
    const end = await holdConnections({
      url: server.url,
      from: [undefined],
      connections: 6,
      ways: [
        { begin: head, drip: 'x: 1\r\n' },
        { begin: `${head}\r\n`, drip: '\r\n', reads: 0 },
      ],
    });
    await until('half of them have sent a request', () => answers.length === 3);
    // A client that reads has all of it by then.
    await sleep(100);
    expect(count.open).toBe(6);
    expect(answers.map((answer) => answer.writableFinished)).toEqual([false, false, false]);
    server.server.closeAllConnections();
    await until('those that notice come back', () => count.opened === 9);
    expect(end().closed).toBe(3);
    await until('all are gone', () => count.open === 0);
  });

  it('crawl every link of a page, each once', async () => {
    const pages: Record<string, string> = {
      '/': '<a href="/a?x=1&amp;y=2">a</a> <a class="b" href="/b#top">b</a> <a href="https://other.example/">c</a>',
      '/a?x=1&y=2': '<a href="/">home</a>',
      '/b': '',
    };
    const asked: string[] = [];
    server = await startHttpServer(({ url = '' }, response) => {
      asked.push(url);
      response.setHeader('content-type', 'text/html; charset=utf-8').end(pages[url]);
    });
    const end = crawl({ url: server.url, from: undefined, connections: 1 });
    await until('it has seen all of it', () => asked.length >= 3);
    expect(asked.slice(0, 3)).toEqual(['/', '/a?x=1&y=2', '/b']);
    expect(end()).toMatchObject({ found: 3, refused: 0, failed: 0 });
  });
});
