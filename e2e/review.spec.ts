import type { Browser, Page } from 'playwright/test';
import { UNDO_MS } from '#server/review/index.ts';
import type { FakeClock } from '../test/support/fake-clock.ts';
import { signInReviewer, type SignedIn } from '../test/support/reviewer.ts';
import { createReviewer, signIn } from './support/reviewer.ts';
import type { RealServer } from './support/server.ts';
import { test as base } from './support/fake-clock.ts';
import { DESKTOP, expect } from './support/test.ts';

/** With two reviewers, who are signed in. What they decide can be undone until the test lets time pass. */
const test = base.extend<{ ada: SignedIn; bob: SignedIn }>({
  ada: async ({ data }, use) => use(await createReviewer(data, { email: 'ada@example.org' })),
  bob: async ({ data, ada: _first }, use) =>
    use(await createReviewer(data, { email: 'bob@example.org' })),
  // Named so that the accounts are there first.
  server: async ({ ada: _ada, bob: _bob, server }, use) => use(server),
});

async function post(server: RealServer, body: object): Promise<{ id: string }> {
  const response = await fetch(`${server.url}/api/registry/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(response.ok).toBe(true);
  return (await response.json()) as { id: string };
}

/** An operator registers over the public API. */
const start = (server: RealServer, name: string) =>
  post(server, { action: 'start', name, nodeId: `node_${name}`, kinds: ['node'] });

/** The same, and says that the fee is paid: later than the one before, which is shown first. */
async function pay(server: RealServer, clock: FakeClock, name: string): Promise<string> {
  clock.advance(1000);
  const { id } = await start(server, name);
  await post(server, { action: 'confirm', id });
  return id;
}

/** What the operator is told. */
const asked = async (server: RealServer, id: string) =>
  (await (await fetch(`${server.url}/api/registry/register?id=${id}`)).json()) as {
    status: string;
    rejectionReason: string | null;
  };

const row = (page: Page, name: string) => page.getByRole('row', { name: new RegExp(`^${name} `) });
const panel = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
const live = (page: Page) => expect(page.getByRole('banner')).toContainText('Live');

async function another(browser: Browser, server: RealServer, who: SignedIn): Promise<Page> {
  const page = await (await browser.newContext()).newPage();
  await signIn(page, server, who);
  return page;
}

test.describe('on any screen', { tag: DESKTOP }, () => {
  test('what is paid for comes into the open queue, and is accepted by the keyboard alone, after one undo', async ({
    page,
    browser,
    server,
    clock,
    ada,
  }) => {
    // The operator, and somebody who looks at the registry.
    const operator = await (await browser.newContext()).newPage();
    const reader = await (await browser.newContext()).newPage();
    await reader.goto(`${server.url}/registry`);
    await expect(reader.getByRole('heading', { name: 'No active names yet' })).toBeVisible();
    const { id } = await start(server, 'garage');
    await operator.goto(`${server.url}/register/${id}`);

    await signIn(page, server, ada);
    await page.goto(`${server.url}/review`);
    await live(page);
    await expect(page.getByText('The queue is empty')).toBeVisible();
    await operator.getByLabel(/Confirmation text/).fill('#D-9F2K11');
    await operator.getByRole('button', { name: 'I have paid' }).click();
    await expect(row(page, 'garage')).toContainText('no payment yet');
    await expect(page).toHaveTitle('(1) Review queue · Mesh Registry');
    await pay(server, clock, 'attic');
    await expect(page).toHaveTitle('(2) Review queue · Mesh Registry');

    await page.keyboard.press('j');
    await expect(row(page, 'garage').getByRole('link')).toBeFocused();
    await page.keyboard.press('o');
    await expect(page.getByRole('heading', { name: 'garage' })).toBeFocused();
    await expect(panel(page, 'garage')).toContainText('#D-9F2K11');
    await page.keyboard.press('a');
    const bar = page.getByRole('list', { name: 'Decisions that can be undone' });
    await expect(bar).toContainText(/Accepting garage (in \d s|now)/);
    await expect(row(page, 'garage')).toContainText('Accepting');
    await expect(page).toHaveTitle('(1) Review queue · Mesh Registry');
    // The next one is open already.
    await expect(page.getByRole('heading', { name: 'attic' })).toBeFocused();
    await page.keyboard.press('u');
    await expect(bar).toBeHidden();
    await expect(page.getByRole('heading', { name: 'garage' })).toBeFocused();
    await expect(page).toHaveTitle('(2) Review queue · Mesh Registry');

    // Of a row that is not open a key decides nothing: it opens it. Outside of the rows arrows scroll.
    await page.keyboard.press('ArrowDown');
    await expect(page.getByRole('heading', { name: 'garage' })).toBeFocused();
    await page.keyboard.press('j');
    await expect(row(page, 'attic').getByRole('link')).toBeFocused();
    await page.keyboard.press('a');
    await expect(page.getByRole('heading', { name: 'attic' })).toBeFocused();
    await expect(bar).toBeHidden();
    await page.keyboard.press('k');
    await page.keyboard.press('r');
    // What is kept is chosen by its number; one's own words are one Tab further.
    await expect(page.getByLabel('No payment with this note was found.')).toBeFocused();
    await page.keyboard.press('5');
    await expect(page.getByLabel('Reason shown to the operator')).toHaveValue(
      'Asked for by the operator.',
    );
    // No letter is a key there: who writes at once means words.
    await page.keyboard.press('a');
    await page.keyboard.press('Tab');
    await expect(page.getByLabel('Reason shown to the operator')).toBeFocused();
    await expect(bar).toBeHidden();
    // A letter that is typed is a letter.
    await page.getByLabel('Reason shown to the operator').fill('');
    await page.keyboard.type('jaunty');
    await expect(page.getByLabel('Reason shown to the operator')).toHaveValue('jaunty');
    await page.getByRole('heading', { name: 'garage' }).focus();
    // On the row of another one a number chooses nothing.
    await page.keyboard.press('j');
    await expect(row(page, 'attic').getByRole('link')).toBeFocused();
    await page.keyboard.press('2');
    await expect(page.getByLabel('Reason shown to the operator')).toHaveValue('jaunty');
    await page.keyboard.press('k');
    await expect(row(page, 'garage').getByRole('link')).toBeFocused();
    // As with Caps Lock.
    await page.keyboard.press('A');
    await expect(bar).toContainText('Accepting garage');
    clock.advance(UNDO_MS);
    await expect(row(page, 'garage')).toBeHidden();
    expect(await asked(server, id)).toMatchObject({ status: 'active' });
    // Neither of them has reloaded: their pages ask every 5 and 10 s.
    await expect(operator.getByRole('heading', { level: 1 })).toContainText('is active');
    await expect(reader.getByRole('rowheader')).toHaveText(['garage']);

    await page.keyboard.press('?');
    await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toBeVisible();
    await page.keyboard.press('Escape');

    // On a phone the list and the one that is open are pages of their own.
    await page.setViewportSize({ width: 390, height: 844 });
    await expect(panel(page, 'attic')).toBeVisible();
    await expect(row(page, 'attic')).toBeHidden();
    await page.getByRole('link', { name: 'Back to the queue' }).click();
    await row(page, 'attic').getByRole('link').click();
    await expect(panel(page, 'attic')).toBeVisible();
    await page.goBack();
    await expect(row(page, 'attic')).toBeVisible();
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0);
  });

  test('of a long queue the list and what is open are seen together, and a refresh moves neither', async ({
    page,
    server,
    clock,
    ada,
  }) => {
    await Promise.all(
      Array.from({ length: 40 }, (_, index) => pay(server, clock, `name-${index}`)),
    );
    await signIn(page, server, ada);
    await page.goto(`${server.url}/review`);
    await live(page);
    const names = await page.getByRole('rowheader').getByRole('link').allTextContents();
    const [far = '', after = ''] = names.slice(30);
    await row(page, far).getByRole('link').click();
    const bothSeen = async (name: string) => {
      await expect(page.getByRole('heading', { name, exact: true })).toBeFocused();
      await expect(page.getByRole('heading', { name, exact: true })).toBeInViewport({ ratio: 1 });
      await expect(row(page, name)).toBeInViewport({ ratio: 1 });
    };
    await bothSeen(far);
    // By then whoever decides has looked around.
    await page.evaluate(() => window.scrollTo(0, 0));
    await expect(row(page, far)).not.toBeInViewport();
    await page.keyboard.press('a');
    await bothSeen(after);

    // While an answer is on its way one goes on reading.
    let answer!: () => void;
    const held = new Promise<void>((resolve) => (answer = resolve));
    const asked = page.waitForRequest(/review\.data/);
    await page.route(/review\.data/, async (route) => {
      await held;
      await route.fallback();
    });
    await pay(server, clock, 'one-more');
    await asked;
    await page.evaluate(() => window.scrollTo(0, 400));
    answer();
    await expect(row(page, 'one-more')).toHaveCount(1);
    expect(await page.evaluate(() => window.scrollY)).toBe(400);
  });

  test('of two reviewers each sees what the other has open and decides, and the second is told', async ({
    page,
    browser,
    server,
    clock,
    ada,
    bob,
    allowed,
  }) => {
    // What the browser says of the decision that came second, and of the one without a reason.
    allowed.push(/status of 4(00|09)/);
    const [garage, attic] = [await pay(server, clock, 'garage'), await pay(server, clock, 'attic')];
    const other = await another(browser, server, bob);
    await signIn(page, server, ada);
    await page.goto(`${server.url}/review`);
    await other.goto(`${server.url}/review`);
    await Promise.all([live(page), live(other)]);

    await row(page, 'garage').getByRole('link').click();
    await expect(row(other, 'garage')).toContainText('ada has this open');
    // What she has open in another tab counts as well, for as long as it is there.
    const tab = await page.context().newPage();
    await tab.goto(`${server.url}/review`);
    // Before its scripts are there a tab takes nothing back.
    await live(tab);
    await row(tab, 'attic').getByRole('link').click();
    await expect(row(other, 'attic')).toContainText('ada has this open');
    await tab.goto(`${server.url}/registry`);
    await expect(row(other, 'attic')).not.toContainText('ada has this open');
    await expect(row(other, 'garage')).toContainText('ada has this open');
    await tab.close();
    await row(other, 'garage').getByRole('link').click();
    await expect(panel(other, 'garage')).toContainText('ada has this open');
    await other.getByRole('button', { name: 'Take over' }).click();
    await expect(panel(page, 'garage')).toContainText('bob has this open');

    // Both at once: neither page has heard of the other's form when it sends its own.
    let both!: () => void;
    let sent = 0;
    const bothSent = new Promise<void>((resolve) => (both = resolve));
    for (const one of [page, other])
      await one.route(/review\.data/, async (route) => {
        if (route.request().method() === 'POST') {
          if (++sent === 2) both();
          await bothSent;
        }
        await route.fallback();
      });
    await Promise.all(
      [page, other].map((one) => one.getByRole('button', { name: /^Accept/ }).click()),
    );
    const told = (one: Page) => one.getByRole('alert').filter({ hasText: 'chose to accept' });
    const second = await Promise.any(
      [page, other].map(async (one) => {
        await told(one).waitFor();
        return one;
      }),
    );
    const first = second === page ? other : page;
    await expect(told(second)).toContainText(first === page ? 'ada@' : 'bob@');
    await first.getByRole('button', { name: /^Undo accepting garage/ }).click();
    await expect(panel(second, 'garage').getByRole('button', { name: /^Accept/ })).toBeVisible();
    // It is said for as long as it is true.
    await expect(told(second)).toBeHidden();
    // What was wrong is said until it is mended, whatever else comes in.
    await second.keyboard.press('r');
    await second.getByRole('button', { name: 'Reject garage' }).click();
    const wrong = panel(second, 'garage').getByText('This must have 1 to 500 characters.');
    await expect(wrong).toBeVisible();
    const cellar = await pay(server, clock, 'cellar');
    await expect(row(second, 'cellar')).toBeVisible();
    await expect(wrong).toBeVisible();
    // What is being written outlives another's decision.
    const words = second.getByLabel('Reason shown to the operator');
    await words.fill('Paid once,');
    await row(first, 'garage').getByRole('link').click();
    await panel(first, 'garage')
      .getByRole('button', { name: /^Accept/ })
      .click();
    const said = panel(second, 'garage')
      .getByRole('status')
      .filter({ hasText: 'is accepting this' });
    await expect(said).toBeVisible();
    await second.keyboard.type(' as taken');
    await first.getByRole('button', { name: /^Undo accepting garage/ }).click();
    await expect(said).toBeHidden();
    await second.keyboard.type(' back');
    await expect(words).toHaveValue('Paid once, as taken back');

    // A kept phrase stands before one's own words, and in the place of another. It is what the operator reads.
    await words.fill('Look at your app.');
    await second.getByLabel('Asked for by the operator.').check();
    await second.getByLabel('No payment with this note was found.').check();
    await second.getByRole('button', { name: 'Reject garage' }).click();
    await expect(row(first, 'garage')).toContainText('is rejecting');
    // Where another's decision takes away what one writes in, the letters are still not keys.
    await expect(second.getByRole('heading', { name: 'attic' })).toBeFocused();
    await second.keyboard.press('r');
    await row(first, 'attic').getByRole('link').click();
    await panel(first, 'attic')
      .getByRole('button', { name: /^Accept/ })
      .click();
    await expect(row(second, 'attic')).toContainText('is accepting');
    clock.advance(UNDO_MS);
    await expect(row(first, 'garage')).toBeHidden();
    await expect(panel(second, 'attic')).toContainText('active, decided by');
    await second.keyboard.type('just paid');
    await expect(row(second, 'cellar').getByRole('link')).not.toBeFocused();
    await second.getByRole('heading', { name: 'attic' }).click();
    await second.keyboard.press('j');
    await expect(row(second, 'cellar').getByRole('link')).toBeFocused();
    expect(await asked(server, garage)).toMatchObject({
      status: 'rejected',
      rejectionReason: 'No payment with this note was found. Look at your app.',
    });
    expect(await asked(server, attic)).toMatchObject({ status: 'active' });
    expect(await asked(server, cellar)).toMatchObject({ status: 'pending_review' });
    await other.context().close();
  });

  test('to deactivate a reviewer, and to give up the own role, is asked first', async ({
    page,
    server,
    bob,
    allowed,
  }) => {
    // Of the page that is for administrators alone.
    allowed.push(/status of 403/);
    const { accounts } = server.services;
    const administrator = (email: string) =>
      signInReviewer(server.services, { email, role: 'administrator' });
    await administrator('zoe@example.org');
    await signIn(page, server, await administrator('eve@example.org'));
    await page.goto(`${server.url}/review/reviewers`);
    const button = (name: string) => page.getByRole('button', { name });
    const ask = (email: string, what: string) =>
      page
        .getByRole('row')
        .filter({ hasText: email })
        .locator('summary', { hasText: what })
        .click();
    const account = async (email: string) =>
      (await accounts.list()).reviewers.find((one) => one.email === email);

    await expect(button('Deactivate bob@example.org')).toBeHidden();
    await ask(bob.email, 'Deactivate');
    await button('Deactivate bob@example.org').click();
    await expect(page.getByRole('row').filter({ hasText: bob.email })).toContainText('deactivated');
    expect(await account(bob.email)).toMatchObject({ deactivatedAt: expect.anything() });

    await expect(button('Make me a reviewer')).toBeHidden();
    await ask('eve@example.org', 'Make reviewer');
    await button('Make me a reviewer').click();
    await expect(page.getByRole('link', { name: 'Go to the queue' })).toBeVisible();
    expect(await account('eve@example.org')).toMatchObject({ role: 'reviewer' });
  });
});
