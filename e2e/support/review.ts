import type { Browser, Page } from 'playwright/test';
import type { FakeClock } from '../../test/support/fake-clock.ts';
import { importPayment } from '../../test/support/payments.ts';
import { signInReviewer, type SignedIn } from '../../test/support/reviewer.ts';
import { test as base } from './fake-clock.ts';
import { signIn } from './reviewer.ts';
import { expect } from './test.ts';
import type { TestServer } from '../../test/support/server.ts';

/** With two signed-in reviewers. Their decisions can be undone until the test advances the clock. */
export const test = base.extend<{ ada: SignedIn; bob: SignedIn }>({
  ada: async ({ server }, use) =>
    use(await signInReviewer(server.services, { email: 'ada@example.org' })),
  bob: async ({ server }, use) =>
    use(await signInReviewer(server.services, { email: 'bob@example.org' })),
});

async function post(
  server: TestServer,
  body: object,
): Promise<{ id: string; paymentNote: string }> {
  const response = await fetch(`${server.url}/api/registry/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(response.ok).toBe(true);
  return (await response.json()) as { id: string; paymentNote: string };
}

/** An operator starts a registration over the public API. */
export const startRegistration = (server: TestServer, name: string) =>
  post(server, { action: 'start', name, nodeId: `node_${name}`, kinds: ['node'] });

/**
 * The same, and reports the payment: a second after the one before, which the queue lists first.
 * @param imported whether an import has the payment
 */
export async function reportPayment(
  server: TestServer,
  clock: FakeClock,
  name: string,
  { imported = true } = {},
): Promise<string> {
  clock.advance(1000);
  const { id, paymentNote } = await startRegistration(server, name);
  if (imported) await importPayment(server, paymentNote);
  await post(server, { action: 'confirm', id });
  return id;
}

/** What the operator sees. */
export const registrationOf = async (server: TestServer, id: string) =>
  (await (await fetch(`${server.url}/api/registry/register?id=${id}`)).json()) as {
    status: string;
    rejectionReason: string | null;
  };

/** A row of the queue, and its link. */
export const row = (page: Page, name: string) =>
  page.getByRole('row', { name: new RegExp(`^(Select ${name} )?${name} `) });
export const rowLink = (page: Page, name: string) => row(page, name).getByRole('link');

/** The open registration beside the queue. */
export const panel = (page: Page, name: string) => page.getByRole('region', { name, exact: true });

export const undoBar = (page: Page) =>
  page.getByRole('list', { name: 'Decisions that can be undone' });

/** Opens the queue and waits until changes arrive as they happen. */
export async function openQueue(page: Page, server: TestServer): Promise<void> {
  await page.goto(`${server.url}/review`);
  await expectLive(page);
}

export const expectLive = (page: Page) => expect(page.getByRole('banner')).toContainText('Live');

/** A page of another browser, signed in. */
export async function signedInPage(
  browser: Browser,
  server: TestServer,
  reviewer: SignedIn,
): Promise<Page> {
  const page = await (await browser.newContext()).newPage();
  await signIn(page, server, reviewer);
  return page;
}
