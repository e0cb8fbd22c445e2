import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { appRouter } from '#server/entry/trpc/router.ts';
import { deactivateReviewer, signInReviewer } from '../support/reviewer.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

/** Who may call each procedure of the dashboard. Procedures check this before their input. */

type Kind = 'query' | 'mutation' | 'subscription';
const procedures = Object.entries(
  appRouter._def.procedures as unknown as Record<string, { _def: { type: Kind } }>,
)
  .filter(([path]) => path.startsWith('review.'))
  .map(([path, { _def }]) => ({ path, type: _def.type }));
const ADMINISTRATORS = /^review\.accounts\.(?!own\.|names$)/;
/** With these somebody signs in or becomes a reviewer. */
const PUBLIC = /^review\.(session|join)\./;

let server: TestServer;
let cookies: Record<'reviewer' | 'administrator' | 'deactivated', string>;
beforeAll(async () => {
  server = await startTestServer();
  const signIn = async (email: string, role: 'reviewer' | 'administrator') =>
    (await signInReviewer(server.services, { email, role })).cookie;
  cookies = {
    reviewer: await signIn('ada@example.org', 'reviewer'),
    administrator: await signIn('grace@example.org', 'administrator'),
    deactivated: await signIn('former@example.org', 'administrator'),
  };
  await deactivateReviewer(server.database, 'former@example.org');
});
afterAll(() => server.stop());

/**
 * The status of a call without an input.
 * @param opens the stream is expected to open, and is closed after a moment; any other has to report its refusal
 */
async function call(
  { path, type }: { path: string; type: Kind },
  headers: Record<string, string> = {},
  opens = false,
): Promise<number> {
  const end = new AbortController();
  const response = await server.get(`/api/trpc/${path}`, {
    method: type === 'mutation' ? 'POST' : 'GET',
    headers: {
      ...(type === 'mutation' && { 'content-type': 'application/json', origin: server.url }),
      ...(type === 'subscription' && { accept: 'text/event-stream' }),
      ...headers,
    },
    ...(type === 'mutation' && { body: '{}' }),
    signal: end.signal,
  });
  expect(response.headers.get('access-control-allow-origin')).toBeNull();
  if (type !== 'subscription') return response.status;
  // A stream always answers 200 and reports a refusal in its first event; an accepted one waits for a change.
  const waited = opens ? setTimeout(() => end.abort(), 500) : undefined;
  let text = '';
  const decoder = new TextDecoder();
  try {
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
      text += decoder.decode(chunk, { stream: true });
      if (text.includes('event: serialized-error')) break;
    }
  } catch {
    // Aborted.
  }
  clearTimeout(waited);
  end.abort();
  return Number(/"httpStatus":(\d+)/.exec(text)?.[1] ?? 200);
}

describe.each(procedures.filter(({ path }) => !PUBLIC.test(path)))('$path', (procedure) => {
  test('refuses strangers, forged cookies and deactivated accounts', async () => {
    expect(await call(procedure)).toBe(401);
    // The end of each cookie is a part of its signature.
    const forged = cookies.reviewer.replace(/.{6}(?=;|$)/g, 'AAAAA%3D');
    expect(await call(procedure, { cookie: forged })).toBe(401);
    expect(await call(procedure, { cookie: cookies.deactivated })).toBe(401);
  });

  test('answers reviewers and administrators as their role allows', async () => {
    const forAdministrators = ADMINISTRATORS.test(procedure.path);
    const asReviewer = await call(procedure, { cookie: cookies.reviewer }, !forAdministrators);
    if (forAdministrators) expect(asReviewer).toBe(403);
    else expect([200, 400]).toContain(asReviewer);
    expect([200, 400]).toContain(await call(procedure, { cookie: cookies.administrator }, true));
  });

  test.runIf(procedure.type === 'mutation')('refuses a page of another site', async () => {
    const foreign = { cookie: cookies.administrator, origin: 'https://evil.example' };
    expect(await call(procedure, foreign)).toBe(403);
    expect(
      await call(procedure, {
        cookie: cookies.administrator,
        'sec-fetch-site': 'cross-site',
      }),
    ).toBe(403);
  });
});

describe.each(procedures.filter(({ path }) => PUBLIC.test(path)))('$path', (procedure) => {
  test('answers strangers', async () => {
    expect([200, 400]).toContain(await call(procedure));
  });

  test.runIf(procedure.type === 'mutation')('refuses a page of another site', async () => {
    expect(await call(procedure, { origin: 'https://evil.example' })).toBe(403);
    expect(await call(procedure, { 'sec-fetch-site': 'cross-site' })).toBe(403);
  });
});
