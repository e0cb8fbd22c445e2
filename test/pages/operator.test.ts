import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { reject } from '../support/decisions.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { openPage } from './page.ts';

/** Who runs the network, as its configuration says it: its name, and a way to reach its operator. */

const CONTACT = 'https://nordic.example/contact?from=mesh&now';
const LINK = `href="${CONTACT.replace('&', '&amp;')}"`;
const PAGES = ['/', '/computes', '/registry', '/status', '/docs', '/docs/operators', '/register'];

let named: TestServer;
let silent: TestServer;
beforeAll(async () => {
  const secret = { WEBHOOK_SECRET: 'the-secret-of-nordic' };
  named = await startTestServer({
    env: { ...secret, NETWORK_NAME: 'Nordic & Mesh', CONTACT_URL: CONTACT },
  });
  silent = await startTestServer();
});
afterAll(() => Promise.all([named.stop(), silent.stop()]));

/** A page up to its first command that sends the secret. */
function beforeCommand(html: string): string {
  const at = html.indexOf('Bearer $WEBHOOK_SECRET');
  expect(at).toBeGreaterThan(0);
  return html.slice(0, at);
}

describe('the name of the network', () => {
  test.each([...PAGES, '/nothing-here', '/review/sign-in'])(
    'is in the title of %s',
    async (path) => {
      const page = await openPage(named, path);
      expect(page.title).toMatch(/^.+ · Nordic & Mesh$/);
      expect(page.text).not.toContain('Mesh Registry');
      expect(page.html).not.toContain('{network}');
      expect((await openPage(silent, path)).title).toMatch(/^.+ · Mesh Registry$/);
    },
  );

  test('goes with links and feeds to other sites', async () => {
    expect((await openPage(named, '/computes')).meta('og:site_name')).toBe('Nordic & Mesh');
    const feed = await (await named.get('/registry/feed.atom')).text();
    expect(feed).toContain('<title>New names · Nordic &amp; Mesh</title>');
    expect(feed).toContain('<author><name>Nordic &amp; Mesh</name></author>');
  });
});

describe('a way to reach the operator', () => {
  test.each(PAGES.filter((path) => path !== '/'))('is at the end of %s', async (path) => {
    const footer = (html: string) => html.slice(html.indexOf('<footer'), html.indexOf('</footer'));
    expect(footer((await openPage(named, path)).html)).toContain(LINK);
    expect(footer((await openPage(silent, path)).html)).not.toContain('Contact');
  });

  test('is on the page of an error, and in the privacy statement', async () => {
    for (const path of ['/nothing-here', '/docs/privacy']) {
      const { html } = await openPage(named, path);
      expect(html.slice(html.indexOf('<main'), html.indexOf('</main'))).toContain(LINK);
    }
    const { text } = await openPage(silent, '/docs/privacy');
    expect(text).toContain('Its operator hasn’t published a way to reach them here.');
  });

  test('is on a page that is refused before it is rendered', async () => {
    const refused = await openPage(named, '/register', {
      method: 'POST',
      body: new URLSearchParams(),
      headers: { accept: 'text/html', origin: 'https://evil.example' },
    });
    expect(refused.status).toBe(403);
    expect(refused.title).toBe('The form was refused · Nordic & Mesh');
    expect(refused.html).toContain(LINK);
  });

  test('stands below the reason of a rejection', async () => {
    const start = { action: 'start', name: 'attic', nodeId: 'node_attic', kinds: ['node'] };
    const started = await named.post('/api/registry/register', start);
    const { id } = (await started.json()) as { id: string };
    await reject(named.services, { id, reviewer: 'ada', reason: 'No payment came in.' });
    const { html } = await openPage(named, `/register/${id}`);
    const reason = html.indexOf('No payment came in.');
    expect(reason).toBeGreaterThan(0);
    expect(html.indexOf(LINK, reason)).toBeLessThan(html.indexOf('</main'));
  });

  test('is in the answer to a request without the secret, and in the OpenAPI document', async () => {
    const refused = await named.post(
      '/api/mesh/ping',
      {},
      { headers: { authorization: 'Bearer no' } },
    );
    expect(refused.status).toBe(401);
    expect(((await refused.json()) as { error: string }).error).toContain(
      `Ask for the secret: ${CONTACT}`,
    );
    const document = (await (await named.get('/api/openapi.json')).json()) as { info: object };
    expect(document.info).toMatchObject({ contact: { name: 'Nordic & Mesh', url: CONTACT } });
  });
});

test.each(['/docs', '/docs/operators', '/docs/mesh', '/nodes/node_unknown'])(
  'a command of %s that sends the secret says first that it needs one, and who has it',
  async (path) => {
    const { html } = await openPage(named, path);
    expect(beforeCommand(html)).toContain('Ask for the secret</a>');
    expect((await openPage(silent, path)).text).not.toContain('a secret');
  },
);

test('without a way to reach the operator, a command says to ask the operator', async () => {
  const server = await startTestServer({ env: { WEBHOOK_SECRET: 'the-secret-of-nordic' } });
  try {
    const { html } = await openPage(server, '/docs');
    expect(beforeCommand(html)).toContain('Ask its operator for it first');
  } finally {
    await server.stop();
  }
});
