import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright/test';
import { DESKTOP, expect, expectTakenOver, test } from './support/test.ts';

/** Passes requests on to the server at `target`. Of a page's data it can hold back a part. */
async function startHoldingProxy(target: string) {
  /** How much of it passes, 0 to 1; what is held back never comes. */
  let share: number | undefined;
  const proxy = createServer((request, response) => {
    void (async () => {
      const get = () => fetch(target + request.url);
      // A connection that is kept alive may be closed in the very moment of its next use.
      const answer = await get().catch(get);
      const body = Buffer.from(await answer.arrayBuffer());
      const headers = new Headers(answer.headers);
      headers.delete('content-encoding');
      headers.delete('content-length');
      response.writeHead(answer.status, Object.fromEntries(headers));
      if (share === undefined || !/\.data\b/.test(request.url ?? '')) response.end(body);
      else response.write(body.subarray(0, Math.ceil(body.length * share)));
    })();
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    hold: (passing: number | undefined) => void (share = passing),
    stop: () => {
      proxy.closeAllConnections();
      proxy.close();
    },
  };
}

/** `arrived` resolves once a part of the next page's data has reached the browser. */
async function watchData(page: Page): Promise<{ arrived: Promise<void> }> {
  const network = await page.context().newCDPSession(page);
  const ids = new Set<string>();
  const arrived = new Promise<void>((resolve) => {
    network.on('Network.requestWillBeSent', ({ requestId, request }) => {
      if (/\.data\b/.test(request.url)) ids.add(requestId);
    });
    network.on('Network.dataReceived', ({ requestId }) => {
      if (ids.has(requestId)) resolve();
    });
  });
  await network.send('Network.enable');
  return { arrived };
}

for (const [what, share] of [
  ['half', 0.5],
  ['all but the end', 1],
] as const)
  test(
    `a page that is left when ${what} of its data has arrived raises no error`,
    { tag: DESKTOP },
    async ({ page, server }) => {
      const proxy = await startHoldingProxy(server.url);
      const link = (path: string) => page.locator(`a[href="${path}"]`).first();
      await page.goto(`${proxy.url}/docs`);
      await expectTakenOver(page);
      for (const path of ['/registry', '/computes']) {
        proxy.hold(share);
        const data = await watchData(page);
        await link(path).click();
        await data.arrived;
        proxy.hold(undefined);
        await link('/status').click();
        await expect(page).toHaveURL(`${proxy.url}/status`);
      }
      // The fixture checks what the browser complained of.
      proxy.stop();
    },
  );
