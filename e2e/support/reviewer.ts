import type { Page } from 'playwright/test';
import { openDatabase } from '#db/client.ts';
import { parseConfig } from '#server/config.ts';
import { createLog } from '#server/log.ts';
import type { ReviewerRole } from '#server/accounts/values.schema.ts';
import { createServices } from '#server/services.ts';
import { signInReviewer, type SignedIn } from '../../test/support/reviewer.ts';
import type { Data } from './database.ts';
import type { RealServer } from './server.ts';

/**
 * Creates a reviewer with a session, in the database of a server that runs in another process, or has not started
 * yet. The password is PASSWORD of test/support/reviewer.ts.
 */
async function createReviewer(
  data: Data,
  account: { email?: string; role?: ReviewerRole } = {},
): Promise<SignedIn> {
  const config = parseConfig(data);
  const database = await openDatabase(config);
  const services = await createServices({ config, database, log: createLog('error') });
  const reviewer = await signInReviewer(services, account);
  await services.stop();
  await database.close();
  return reviewer;
}

/** Signs the browser in: every page of its context, from now on. */
export async function signIn(
  page: Page,
  server: { url: string },
  { cookie }: SignedIn,
): Promise<void> {
  const cookies = cookie.split('; ').map((pair) => {
    const [name = '', ...value] = pair.split('=');
    return { name, value: value.join('='), url: server.url, httpOnly: true };
  });
  await page.context().addCookies(cookies);
}

/**
 * For `test.extend`: creates the account before the server starts.
 *
 *     const test = base.extend<Reviewing>(reviewing());
 */
export interface Reviewing {
  /** Signed in by {@link signIn}. */
  reviewer: SignedIn;
}

export const reviewing = (account: { email?: string; role?: ReviewerRole } = {}) => ({
  reviewer: async ({ data }: { data: Data }, use: (reviewer: SignedIn) => Promise<void>) =>
    use(await createReviewer(data, account)),
  // Named so that Playwright creates the account first.
  server: async <Server extends RealServer>(
    { reviewer: _first, server }: { reviewer: SignedIn; server: Server },
    use: (server: Server) => Promise<void>,
  ) => use(server),
});
