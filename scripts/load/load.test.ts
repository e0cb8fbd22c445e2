import { afterEach, describe, expect, it } from 'vitest';
import { startHttpServer, type HttpServer } from '../../test/support/http-server.ts';
import type { LoadOptions } from './generator.ts';
import { sendLoad } from './load.ts';

let server: HttpServer | undefined;
afterEach(async () => {
  await server?.stop();
});

async function optionsFor(delayMs: number): Promise<LoadOptions> {
  server = await startHttpServer((_, response) => void setTimeout(() => response.end(), delayMs));
  return {
    url: server.url,
    method: 'POST',
    headers: {},
    connections: 1,
    seconds: 0.3,
    nodes: 10,
  };
}

describe('the load generator', () => {
  it('counts the time from the moment at which a request was due, not from when it was sent', async () => {
    // The one connection answers 20 requests a second: of the 30 that are due in 0.3 s, the last waits for a second.
    const { due, bad, late, latenciesUs } = await sendLoad({
      ...(await optionsFor(50)),
      rate: 100,
    });
    expect({ due, bad, late }).toEqual({ due: 30, bad: 0, late: 0 });
    expect(latenciesUs.totalCount).toBe(30);
    expect(latenciesUs.maxValue / 1000).toBeGreaterThan(1000);
  });

  it('sends the next request with the answer to the last, where there is no rate', async () => {
    const { due, answered } = await sendLoad(await optionsFor(20));
    expect(answered).toBeGreaterThan(1);
    expect(due - answered).toBeLessThanOrEqual(1);
  });
});
