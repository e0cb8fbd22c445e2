import type { Page } from 'playwright/test';
import type { ReviewerRole } from '@mesh-registry/protocol/values.schema.ts';
import { signInReviewer, type SignedIn } from '../../test/support/reviewer.ts';
import type { TestServer } from '../../test/support/server.ts';

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
 * For `test.extend`:
 *
 *     const test = base.extend<Reviewing>(reviewing());
 */
export interface Reviewing {
  /** Has an account and a session. Signed in by {@link signIn}. */
  reviewer: SignedIn;
}

export const reviewing = (account: { email?: string; role?: ReviewerRole } = {}) => ({
  reviewer: async (
    { server }: { server: TestServer },
    use: (reviewer: SignedIn) => Promise<void>,
  ) => use(await signInReviewer(server.services, account)),
});
