import { describe, expect, test } from 'vitest';
import { statusMinutes } from '#db/schema/index.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { createTestDatabase } from '../support/databases.ts';
import { startHttpServer } from '../support/http-server.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { aCompute, aPing, eventually, freshId, getJson, postJson } from './contract.ts';

/** The text of a page, without markup, style and script. */
const textOf = (html: string) =>
  html
    .replace(/<(script|style|title)\b[\s\S]*?<\/\1>/g, ' ')
    .replace(/<[^>]*>/g, ' ')
    .replace(/&#x27;/g, "'")
    .replace(/\s+/g, ' ');

async function page(server: TestServer): Promise<{ html: string; text: string }> {
  const response = await server.get('/status');
  expect(response.status).toBe(200);
  const html = await response.text();
  return { html, text: textOf(html) };
}

describe('/status', () => {
  test('without Genesis it says how to configure the check, and since when it collects data', async () => {
    const clock = new FakeClock();
    clock.advance(3 * 60_000);
    const server = await startTestServer({ clock: clock.read });
    try {
      await postJson(server, '/api/mesh/ping', aPing(), 201);
      await postJson(server, '/api/mesh/ping', aPing(), 201);
      const announce = { nodeId: freshId(), computes: [aCompute()] };
      await postJson(server, '/api/registry/computes', announce, 200);
      const first = (await page(server)).text;
      expect(first).toContain('All systems operational');
      expect(first).toContain('Genesis isn’t checked.');
      expect(first).toContain('GENESIS_HEALTH_URL');
      expect(first).toContain('Running since 12:03 UTC, when this history begins.');
      expect(first).toContain('Counting the first minute');
      expect(first).toContain('No data yet.');

      clock.advance(60_000);
      // Until the read model is up to date at the new moment.
      await eventually(async () => (await getJson(server, '/readyz')).degraded as boolean, false);
      const { html, text } = await page(server);
      expect(text).toContain(
        'Map, directory and registry What this site and its API show. Up to date',
      );
      expect(text).toContain('Received 2 heartbeats and 1 announcement a minute');
      expect(text).toContain('during the minute that began at 12:03 UTC');
      expect(text).toContain(
        'Genesis The peer through which new ones join the network. Not checked',
      );
      expect(text).toContain('PostgreSQL');
      // The page's security policy allows neither.
      expect(/<[^>]* (style|on\w+)=/.exec(html)?.[0]).toBeUndefined();

      const { result } = await getJson(server, '/api/trpc/status.summary');
      expect(result.data).toMatchObject({
        at: clock.iso(),
        service: { database: 'up', degraded: false },
        readModel: { peers: 2, computes: 1 },
        heartbeats: { minute: clock.iso(-60_000), pings: 2, announces: 1, servers: 1 },
        genesis: { configured: false, status: 'unknown' },
        history: { since: clock.iso(-60_000), genesis: { upShare: null } },
      });
    } finally {
      await server.stop();
    }
  });

  test('with Genesis it shows the results of the checks, and no address', async () => {
    let status = 200;
    const peer = await startHttpServer((_, response) => void response.writeHead(status).end());
    const clock = new FakeClock();
    const own = await createTestDatabase();
    let running: TestServer | undefined;
    /** A server that follows the one before it, and gets this answer from Genesis. */
    const nextServer = async (answer: number): Promise<TestServer> => {
      await running?.stop();
      status = answer;
      clock.advance(60_000);
      running = await startTestServer({
        env: {
          ...own.env,
          GENESIS_LABEL: 'Origin',
          GENESIS_HEALTH_URL: `${peer.url}/secret-path?token=secret`,
        },
        clock: clock.read,
      });
      const { health } = running.services;
      await eventually(() => health.genesis().status !== 'unknown', true);
      return running;
    };
    try {
      const first = await page(await nextServer(200));
      expect(first.text).toContain('All systems operational');
      expect(first.text).toContain('Genesis is reachable.');
      expect(first.text).toContain('How fast Origin answers');
      expect(first.text).toContain('Reachable for at least');
      expect(first.text).toContain('1 min reachable: 100% of the time checked.');

      const server = await nextServer(500);
      const { text, html } = await page(server);
      expect(text).toContain('The service works, but Genesis isn’t responding');
      expect(text).toContain('Not responding for');
      expect(text).toContain('1 min reachable, 1 min not reachable: 50.0% of the time');
      const summary = await (await server.get('/api/trpc/status.summary')).text();

      clock.advance(60_000);
      await server.services.status.write();
      const rows = await server.database.db
        .select()
        .from(statusMinutes)
        .orderBy(statusMinutes.minute);
      // A server that runs longer makes more checks, one every ten seconds.
      expect(rows.map(({ checksOk, checksFailed }) => [checksOk > 0, checksFailed > 0])).toEqual([
        [true, false],
        [false, true],
      ]);
      for (const shown of [first.html, html, summary, JSON.stringify(rows), server.log()])
        expect(/secret|127\.0\.0\.1|localhost/.exec(shown)?.[0]).toBeUndefined();
      for (const shown of [first.html, html, summary]) {
        expect(shown.includes(`:${peer.port}`)).toBe(false);
        expect(/postgres:\/\/|mesh-registry-data|mesh_test_/.exec(shown)?.[0]).toBeUndefined();
      }
    } finally {
      await running?.stop();
      await own.drop();
      await peer.stop();
    }
  });
});
