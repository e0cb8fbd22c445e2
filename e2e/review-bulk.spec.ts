import type { Page } from 'playwright/test';
import { UNDO_MS } from '@mesh-registry/protocol/values.schema.ts';
import { signIn } from './support/reviewer.ts';
import {
  openQueue,
  registrationOf,
  reportPayment,
  row,
  rowLink,
  signedInPage,
  test,
  undoBar,
} from './support/review.ts';
import { DESKTOP, expect, MORE, PHONE } from './support/test.ts';

const NAMES = ['attic', 'barn', 'cellar', 'den', 'eaves', 'foyer'];
const REASON = 'No payment with this note was found.';

const box = (page: Page, name: string) => page.getByRole('checkbox', { name: `Select ${name}` });
const bar = (page: Page) => page.getByRole('region', { name: 'Selected registrations' });
const selected = async (page: Page) => {
  const checked = page.locator('input[name=selected]:checked');
  const labels = await checked.evaluateAll((boxes) =>
    boxes.map((each) => each.getAttribute('aria-label')?.replace('Select ', '')),
  );
  return labels.join(' ');
};
const announced = (page: Page, text: string | RegExp) =>
  expect(page.locator('[aria-live=polite]').filter({ hasText: text })).toHaveCount(1);

test(
  'several registrations are selected by clicks and keys, rejected with one reason, undone and rejected again',
  { tag: PHONE },
  async ({ page, browser, server, clock, ada, bob }) => {
    const ids = new Map<string, string>();
    for (const name of NAMES) ids.set(name, await reportPayment(server, clock, name));
    await signIn(page, server, ada);
    await openQueue(page, server);
    await expect(bar(page)).toBeHidden();

    // A click with Shift selects everything between it and the last one.
    await box(page, 'attic').check();
    await box(page, 'den').click({ modifiers: ['Shift'] });
    await expect.poll(() => selected(page)).toBe('attic barn cellar den');
    await expect(bar(page)).toContainText('4 selected');
    await box(page, 'cellar').click({ modifiers: ['Shift'] });
    await expect.poll(() => selected(page)).toBe('attic barn');
    await bar(page).getByRole('button', { name: 'Clear selection' }).click();
    await expect(bar(page)).toBeHidden();

    // The same with the keyboard. A checkbox counts as its row.
    await page.keyboard.press('j');
    await expect(rowLink(page, 'attic')).toBeFocused();
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('Shift+X');
    await expect.poll(() => selected(page)).toBe('barn cellar den');
    await box(page, 'den').focus();
    await page.keyboard.press('k');
    await expect(rowLink(page, 'cellar')).toBeFocused();
    await page.keyboard.press('x');
    await expect.poll(() => selected(page)).toBe('barn den');
    await page.keyboard.press('Escape');
    await expect.poll(() => selected(page)).toBe('');

    await page.getByLabel('Select all').check();
    await expect.poll(() => selected(page)).toBe(NAMES.join(' '));
    await box(page, 'foyer').uncheck();
    await expect(page.getByLabel('Select all')).toBeChecked({ indeterminate: true });

    // Another reviewer accepts one of them meanwhile, and an operator changes another.
    const other = await signedInPage(browser, server, bob);
    await openQueue(other, server);
    await rowLink(other, 'barn').click();
    await other.getByRole('button', { name: 'Accept' }).click();
    await expect(row(page, 'barn')).toBeHidden();
    await expect(bar(page)).toContainText('4 selected');
    await fetch(`${server.url}/api/registry/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ action: 'confirm', id: ids.get('cellar'), cashConfirm: '#D-NEW' }),
    });
    await expect(row(page, 'cellar')).toContainText('#D-NEW');

    await rowLink(page, 'attic').focus();
    await page.keyboard.press('r');
    await expect(page.getByLabel(REASON)).toBeFocused();
    await page.keyboard.press('1');
    await page.keyboard.press('Enter');
    const results = page.getByRole('region', { name: /left out/ });
    await expect(
      page.getByRole('heading', { name: 'Rejected 3 registrations, 1 left out' }),
    ).toBeFocused();
    await expect(results).toContainText(REASON);
    await expect(results.getByRole('listitem')).toHaveText([/^cellar .*has changed/]);
    await expect(bar(page)).toBeHidden();
    await expect(undoBar(page).getByRole('listitem')).toHaveCount(1);
    await expect(undoBar(page)).toContainText('3 registrations rejected');
    await expect(page).toHaveTitle('(2) Review queue · Mesh Registry');
    await announced(page, 'Rejected 3 registrations. You can undo it for a few seconds.');

    await page.keyboard.press('u');
    await expect(undoBar(page)).toBeHidden();
    await expect(page).toHaveTitle('(5) Review queue · Mesh Registry');
    await announced(page, 'Undone: 3 registrations are waiting again.');

    for (const name of ['attic', 'den']) await box(page, name).check();
    await bar(page).getByText('Reject selected').first().click();
    await page.getByLabel('Reason shown to each operator').fill('Spam.');
    await page.getByRole('button', { name: 'Reject 2 registrations' }).click();
    await expect(undoBar(page)).toContainText('2 registrations rejected');
    await expect(row(page, 'attic')).toBeHidden();
    await expect(page.getByRole('heading', { name: 'Rejected 2 registrations' })).toBeVisible();
    await announced(page, 'Rejected 2 registrations. You can undo it for a few seconds.');
    clock.advance(UNDO_MS);
    await expect(undoBar(page)).toBeHidden();
    for (const name of ['attic', 'den'])
      expect(await registrationOf(server, ids.get(name) ?? '')).toMatchObject({
        status: 'rejected',
        rejectionReason: 'Spam.',
      });
    expect(await registrationOf(server, ids.get('cellar') ?? '')).toMatchObject({
      status: 'pending_review',
    });
    await expect
      .poll(() => page.evaluate(() => document.documentElement.scrollWidth - innerWidth))
      .toBe(0);
  },
);

test.describe('without scripts', () => {
  test.use({ javaScriptEnabled: false });

  test(
    'ticked registrations are rejected together, and undone',
    { tag: [DESKTOP, MORE] },
    async ({ page, server, clock, ada, allowed }) => {
      // The form without a reason.
      allowed.push(/status of 400/);
      const ids: string[] = [];
      for (const name of NAMES.slice(0, 3)) ids.push(await reportPayment(server, clock, name));
      await signIn(page, server, ada);
      await page.goto(`${server.url}/review`);
      const send = page.getByRole('button', { name: 'Reject selected registrations' });
      await bar(page).getByText('Reject selected').first().click();
      await send.click();
      await expect(page.getByRole('alert')).toContainText('Tick the registrations to reject');
      await box(page, 'attic').check();
      await box(page, 'cellar').check();
      await send.click();
      await expect(page.getByText('This must have 1 to 500 characters.')).toBeVisible();
      await expect.poll(() => selected(page)).toBe('attic cellar');
      await page.getByLabel(REASON).check();
      await send.click();
      await expect(page.getByRole('heading', { name: 'Rejected 2 registrations' })).toBeVisible();
      await page.getByRole('button', { name: 'Undo rejecting 2 registrations' }).click();
      await expect(undoBar(page)).toBeHidden();
      for (const id of ids)
        expect(await registrationOf(server, id)).toMatchObject({ status: 'pending_review' });
    },
  );
});
