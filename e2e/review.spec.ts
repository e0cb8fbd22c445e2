import type { KeyObject } from 'node:crypto';
import type { Page } from 'playwright/test';
import { generateNodeKey, nodeKeyText } from '@mesh-registry/protocol/keys/node-key.ts';
import { UNDO_MS } from '@mesh-registry/protocol/values.schema.ts';
import { sendSigned } from '../test/support/node-keys.ts';
import { signInReviewer } from '../test/support/reviewer.ts';
import { signIn } from './support/reviewer.ts';
import {
  openQueue,
  panel,
  registrationOf,
  reportPayment,
  row,
  rowLink,
  signedInPage,
  startRegistration,
  test,
  undoBar,
} from './support/review.ts';
import { DESKTOP, expect, MORE } from './support/test.ts';

test.describe('on any screen', { tag: DESKTOP }, () => {
  test('a registration against which keys speak is accepted only after its notice is ticked, and asks no more once they agree', async ({
    page,
    server,
    clock,
    ada,
  }) => {
    const [owner, stranger] = [generateNodeKey(), generateNodeKey()];
    const beat = async (nodeId: string, key: KeyObject) => {
      const sent = { key, now: clock.read(), body: { nodeId, lat: 37.7, lng: -122.4 } };
      expect((await sendSigned(server, '/api/mesh/ping', sent)).ok).toBe(true);
    };
    const key = nodeKeyText(stranger);
    for (const name of ['garage', 'attic']) {
      const id = await reportPayment(server, clock, name);
      await server.services.registration.claimByKey({ id, nodeId: `node_${name}`, key });
    }
    await beat('node_garage', owner);
    await signIn(page, server, ada);
    await openQueue(page, server);
    await rowLink(page, 'garage').click();
    await expect(page.getByRole('heading', { name: 'garage' })).toBeFocused();
    const garage = panel(page, 'garage');
    const box = garage.getByRole('checkbox', {
      name: /^I have checked this, and accept nevertheless: .* signed by another key/,
    });
    await page.keyboard.press('a');
    await expect(box).toBeFocused();
    await expect(undoBar(page)).toBeHidden();
    await garage.getByRole('button', { name: 'Accept' }).click();
    await expect(box).toBeFocused();
    await page.keyboard.press('Space');
    await page.keyboard.press('a');
    await expect(undoBar(page)).toContainText('garage accepted');

    const attic = panel(page, 'attic');
    await expect(attic).toContainText('This node has never sent a heartbeat');
    await beat('node_attic', stranger);
    await page.reload();
    await expect(attic).toContainText('Proved by the node’s key');
    await expect(attic.getByRole('checkbox')).toHaveCount(0);
  });

  test('a reported payment appears in the open queue, and is accepted with the keyboard alone, after one undo', async ({
    page,
    browser,
    server,
    clock,
    ada,
  }) => {
    // The operator, and somebody who reads the registry.
    const operator = await (await browser.newContext()).newPage();
    const reader = await (await browser.newContext()).newPage();
    await reader.goto(`${server.url}/registry`);
    await expect(reader.getByRole('heading', { name: 'No active names yet' })).toBeVisible();
    const { id } = await startRegistration(server, 'garage');
    await operator.goto(`${server.url}/register/${id}?job=paid`);

    await signIn(page, server, ada);
    await openQueue(page, server);
    await expect(page.getByText('The queue is empty')).toBeVisible();
    await operator.getByLabel(/Confirmation text/).fill('#D-9F2K11');
    await operator.getByRole('button', { name: 'I have paid' }).click();
    await expect(row(page, 'garage')).toContainText('not in an import yet');
    await expect(page).toHaveTitle('(1) Review queue · Mesh Registry');
    await reportPayment(server, clock, 'attic');
    await expect(page).toHaveTitle('(2) Review queue · Mesh Registry');

    await page.keyboard.press('j');
    await expect(rowLink(page, 'garage')).toBeFocused();
    await page.keyboard.press('o');
    await expect(page.getByRole('heading', { name: 'garage' })).toBeFocused();
    await expect(panel(page, 'garage')).toContainText('#D-9F2K11');
    // A question for its operator, who reads it on the page of the registration.
    await panel(page, 'garage').getByLabel('Question').fill('Which note did you send?');
    await panel(page, 'garage').getByRole('button', { name: 'Ask', exact: true }).press('Enter');
    await expect(row(page, 'garage')).toContainText('asked');
    await expect(panel(page, 'garage').getByLabel('Question')).toHaveValue('');
    // What only reviewers see: the button keeps the focus, and the form of the remark folds.
    const assign = panel(page, 'garage').getByRole('button', { name: /^(Assign to me|Unassign)$/ });
    await assign.press('Enter');
    await expect(panel(page, 'garage')).toContainText('Assigned to ada');
    await expect(assign).toHaveText('Unassign');
    await expect(assign).toBeFocused();
    await expect(row(page, 'garage')).toContainText('ada sees to this');
    await panel(page, 'garage').getByText('Write a remark').click();
    await page.getByLabel('Remark', { exact: true }).fill('A friend of mine.');
    await panel(page, 'garage').getByRole('button', { name: 'Save' }).press('Enter');
    await expect(panel(page, 'garage')).toContainText('A friend of mine. ada');
    await expect(page.getByLabel('Remark', { exact: true })).toBeHidden();
    await expect(panel(page, 'garage').getByText('Change the remark')).toBeFocused();
    await page.getByRole('heading', { name: 'garage' }).focus();
    // No import has the payment: the key asks for the reason, and nothing but Enter in its field accepts.
    await expect(panel(page, 'garage').getByText('Accept without payment…')).toBeVisible();
    const bar = undoBar(page);
    // Pressed twice at once, it is one press, and no text.
    const typed = await page.evaluate(() =>
      ['a', 'a'].map((key) =>
        (document.activeElement ?? document.body).dispatchEvent(
          new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }),
        ),
      ),
    );
    expect(typed).toEqual([false, false]);
    const reason = page.getByLabel('Why accept it without a matching payment?');
    await expect(reason).toBeFocused();
    await expect(reason).toHaveValue('');
    await page.keyboard.press('Enter');
    await expect(reason).toBeFocused();
    await expect(bar).toBeHidden();
    await page.keyboard.type('Seen in the app.');
    await page.keyboard.press('Enter');
    await expect(bar).toContainText('garage accepted');
    await expect(row(page, 'garage')).toBeHidden();
    await expect(page).toHaveTitle('(1) Review queue · Mesh Registry');
    // The next one opens.
    await expect(page.getByRole('heading', { name: 'attic' })).toBeFocused();
    await page.keyboard.press('u');
    await expect(bar).toBeHidden();
    await expect(page.getByRole('heading', { name: 'garage' })).toBeFocused();
    await expect(page).toHaveTitle('(2) Review queue · Mesh Registry');

    // On another row, `a` opens that registration instead of deciding. Outside the list, arrow keys scroll.
    await page.keyboard.press('ArrowDown');
    await expect(page.getByRole('heading', { name: 'garage' })).toBeFocused();
    await page.keyboard.press('j');
    await expect(rowLink(page, 'attic')).toBeFocused();
    await page.keyboard.press('a');
    await expect(page.getByRole('heading', { name: 'attic' })).toBeFocused();
    await expect(bar).toBeHidden();
    await page.keyboard.press('k');
    await page.keyboard.press('r');
    // Suggested reasons are chosen by their number; the text is one Tab further.
    await expect(page.getByLabel('No payment with this note was found.')).toBeFocused();
    await page.keyboard.press('5');
    await expect(page.getByLabel('Reason shown to the operator')).toHaveValue(
      'Requested by the operator.',
    );
    // Letters are no shortcuts among the reasons: somebody may start to write.
    await page.keyboard.press('a');
    await page.keyboard.press('Tab');
    await expect(page.getByLabel('Reason shown to the operator')).toBeFocused();
    await expect(bar).toBeHidden();
    // Nor in the text.
    await page.getByLabel('Reason shown to the operator').fill('');
    await page.keyboard.type('jaunty');
    await expect(page.getByLabel('Reason shown to the operator')).toHaveValue('jaunty');
    await page.getByRole('heading', { name: 'garage' }).focus();
    // On another row, numbers choose nothing.
    await page.keyboard.press('j');
    await expect(rowLink(page, 'attic')).toBeFocused();
    await page.keyboard.press('2');
    await expect(page.getByLabel('Reason shown to the operator')).toHaveValue('jaunty');
    await page.keyboard.press('k');
    await expect(rowLink(page, 'garage')).toBeFocused();
    // With Caps Lock.
    await page.keyboard.press('A');
    await expect(reason).toHaveValue('');
    await page.keyboard.type('Seen in the app');
    await page.keyboard.press('Enter');
    await expect(bar).toContainText('garage accepted');
    await expect(row(page, 'garage')).toBeHidden();
    expect(await registrationOf(server, id)).toMatchObject({ status: 'active' });
    // Both pages refresh themselves.
    await expect(operator.getByRole('heading', { level: 1 })).toContainText('is active');
    await expect(reader.getByRole('rowheader')).toHaveText(['garage node']);
    // Once it can no longer be undone, the bar goes by itself.
    await expect(bar).toBeVisible();
    clock.advance(UNDO_MS);
    await expect(bar).toBeHidden();

    await page.keyboard.press('?');
    await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toBeVisible();
    await page.keyboard.press('Escape');

    // On a phone the open registration replaces the list.
    await page.setViewportSize({ width: 390, height: 844 });
    await expect(panel(page, 'attic')).toBeVisible();
    await expect(row(page, 'attic')).toBeHidden();
    await page.getByRole('link', { name: 'Back to the queue' }).click();
    await rowLink(page, 'attic').click();
    await expect(panel(page, 'attic')).toBeVisible();
    await page.goBack();
    await expect(row(page, 'attic')).toBeVisible();
    await expect
      .poll(() => page.evaluate(() => document.documentElement.scrollWidth - innerWidth))
      .toBe(0);
  });

  test(
    'in a long queue the open registration and its row are both in sight, and a refresh scrolls neither',
    { tag: MORE },
    async ({ page, server, clock, ada }) => {
      await Promise.all(
        Array.from({ length: 40 }, (_, index) => reportPayment(server, clock, `name-${index}`)),
      );
      await signIn(page, server, ada);
      await openQueue(page, server);
      // The list and the panel scroll apart; the first row is near the top.
      const list = page.locator('[data-scrolls]');
      expect((await page.getByRole('row').nth(1).boundingBox())?.y).toBeLessThan(160);
      const names = await page.getByRole('rowheader').getByRole('link').allTextContents();
      const [far = '', after = ''] = names.slice(30);
      await rowLink(page, far).click();
      const bothSeen = async (name: string) => {
        await expect(page.getByRole('heading', { name, exact: true })).toBeFocused();
        await expect(page.getByRole('heading', { name, exact: true })).toBeInViewport({ ratio: 1 });
        await expect(row(page, name)).toBeInViewport({ ratio: 1 });
      };
      await bothSeen(far);
      // The reviewer has scrolled meanwhile.
      await list.evaluate((element) => element.scrollTo(0, 0));
      await expect(row(page, far)).not.toBeInViewport();
      await page.keyboard.press('a');
      await bothSeen(after);

      // An answer that arrives while the reviewer scrolls doesn’t scroll back.
      let answer!: () => void;
      const held = new Promise<void>((resolve) => (answer = resolve));
      const asked = page.waitForRequest(/review\.data/);
      await page.route(/review\.data/, async (route) => {
        await held;
        await route.fallback();
      });
      await reportPayment(server, clock, 'one-more');
      await asked;
      await list.evaluate((element) => element.scrollTo(0, 400));
      answer();
      await expect(row(page, 'one-more')).toHaveCount(1);
      await expect.poll(() => list.evaluate((element) => element.scrollTop)).toBe(400);
    },
  );

  test('two reviewers see what the other has open and decides, and the second to decide learns why it failed', async ({
    page,
    browser,
    server,
    clock,
    ada,
    bob,
    allowed,
  }) => {
    // The second decision, and the rejection without a reason.
    allowed.push(/status of 4(00|09)/);
    const [garage, attic] = [
      await reportPayment(server, clock, 'garage'),
      await reportPayment(server, clock, 'attic'),
    ];
    const other = await signedInPage(browser, server, bob);
    await signIn(page, server, ada);
    await Promise.all([openQueue(page, server), openQueue(other, server)]);

    await rowLink(page, 'garage').click();
    await expect(row(other, 'garage')).toContainText('ada has this open');
    // Another tab of hers counts as well, until it goes elsewhere.
    const tab = await page.context().newPage();
    // A tab reports what it closes only once its scripts have loaded.
    await openQueue(tab, server);
    await rowLink(tab, 'attic').click();
    await expect(row(other, 'attic')).toContainText('ada has this open');
    await tab.goto(`${server.url}/registry`);
    await expect(row(other, 'attic')).not.toContainText('ada has this open');
    await expect(row(other, 'garage')).toContainText('ada has this open');
    await tab.close();
    await rowLink(other, 'garage').click();
    await expect(panel(other, 'garage')).toContainText('ada has this open');
    await other.getByRole('button', { name: 'Take over' }).click();
    await expect(panel(page, 'garage')).toContainText('bob has this open');

    // Both at once: neither page knows of the other’s form when it sends its own.
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
    const refusal = (one: Page) =>
      one.getByRole('alert').filter({ hasText: 'already accepted by' });
    const second = await Promise.any(
      [page, other].map(async (one) => {
        await refusal(one).waitFor();
        return one;
      }),
    );
    const first = second === page ? other : page;
    await expect(refusal(second)).toContainText(first === page ? 'ada@' : 'bob@');
    await first.getByRole('button', { name: /^Undo accepting garage/ }).click();
    await expect(panel(second, 'garage').getByRole('button', { name: /^Accept/ })).toBeVisible();
    // The message disappears once it is no longer true.
    await expect(refusal(second)).toBeHidden();
    // A message about a field stays until it is corrected, whatever else changes.
    await second.keyboard.press('r');
    await second.getByRole('button', { name: 'Reject garage' }).click();
    const wrong = panel(second, 'garage').getByText('This must have 1 to 500 characters.');
    await expect(wrong).toBeVisible();
    const cellar = await reportPayment(server, clock, 'cellar');
    await expect(row(second, 'cellar')).toBeVisible();
    await expect(wrong).toBeVisible();
    // A reason that is being written survives another reviewer’s decision and its undo.
    const reason = second.getByLabel('Reason shown to the operator');
    await reason.fill('Paid once,');
    await rowLink(first, 'garage').click();
    await panel(first, 'garage')
      .getByRole('button', { name: /^Accept/ })
      .click();
    const notice = panel(second, 'garage')
      .getByRole('status')
      .filter({ hasText: 'active, decided by' });
    await expect(notice).toBeVisible();
    // The form is away, and what is typed meanwhile is no shortcut.
    await second.keyboard.type(' r a j');
    await first.getByRole('button', { name: /^Undo accepting garage/ }).click();
    await expect(notice).toBeHidden();
    await expect(reason).toHaveValue('Paid once,');

    // A suggested reason goes in front of the text, replacing another one. The operator reads both.
    await reason.fill('Look at your app.');
    await second.getByLabel('Requested by the operator.').check();
    await second.getByLabel('No payment with this note was found.').check();
    await second.getByRole('button', { name: 'Reject garage' }).click();
    await expect(row(first, 'garage')).toBeHidden();
    // If another reviewer’s decision removes the form while somebody types, letters don’t turn into shortcuts.
    await expect(second.getByRole('heading', { name: 'attic' })).toBeFocused();
    await second.keyboard.press('r');
    await rowLink(first, 'attic').click();
    await panel(first, 'attic')
      .getByRole('button', { name: /^Accept/ })
      .click();
    await expect(row(second, 'attic')).toBeHidden();
    await expect(row(second, 'garage')).toBeHidden();
    await expect(panel(second, 'attic')).toContainText('active, decided by');
    await second.keyboard.type('just paid');
    await expect(rowLink(second, 'cellar')).not.toBeFocused();
    await second.getByRole('heading', { name: 'attic' }).click();
    await second.keyboard.press('j');
    await expect(rowLink(second, 'cellar')).toBeFocused();
    expect(await registrationOf(server, garage)).toMatchObject({
      status: 'rejected',
      rejectionReason: 'No payment with this note was found. Look at your app.',
    });
    expect(await registrationOf(server, attic)).toMatchObject({ status: 'active' });
    expect(await registrationOf(server, cellar)).toMatchObject({ status: 'pending_review' });
    await other.context().close();
  });

  test('deactivating a reviewer and giving up one’s own role ask for confirmation', async ({
    page,
    server,
    bob,
    allowed,
  }) => {
    // The page for administrators, once the role is given up.
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
