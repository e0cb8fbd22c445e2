import type { Page } from 'playwright/test';
import { PASSWORD } from '../test/support/reviewer.ts';
import { totp } from '../test/support/totp.ts';
import { test } from './support/own-process.ts';
import { CONNECTION_LOST, DESKTOP, expect, open } from './support/test.ts';

const press = (page: Page, name: string) => page.getByRole('button', { name }).click();
const signIn = async (page: Page) => {
  await page.getByLabel('Email address').fill('ada@example.org');
  await page.getByLabel('Password').fill(PASSWORD);
  await press(page, 'Sign in');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Second factor');
};
const signOut = async (page: Page) => {
  await press(page, 'Sign out');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Reviewer sign-in');
};

test(
  'the first administrator uses the link from the console, sets up a second factor, and signs in with it',
  { tag: DESKTOP },
  async ({ page, context, server, allowed }) => {
    // The browser reports refused forms, and one without an answer.
    allowed.push(/status of 40[01]/, CONNECTION_LOST);
    await open(page, server.firstLink());
    await page.getByLabel('Name', { exact: true }).fill('Ada');
    await page.getByLabel('Email address').fill('ada@example.org');
    await page.getByLabel('Password').fill('password1234');
    await press(page, 'Create account');
    await expect(page.getByRole('alert')).toBeFocused();
    await page.getByLabel('Password').fill(PASSWORD);
    await press(page, 'Create account');
    await expect(page).toHaveURL(`${server.url}/review`);

    await page.getByRole('link', { name: 'Ada' }).click();
    await page.getByRole('link', { name: 'Set up' }).click();
    // The account's page has a field of the same name.
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Second factor');
    await page.getByLabel('Current password').fill(PASSWORD);
    await press(page, 'Show QR code');
    const key = await page.getByRole('definition').first().innerText();
    await page.getByRole('textbox', { name: 'Code' }).fill('000000');
    await press(page, 'Turn on');
    await expect(page.getByRole('alert')).toBeFocused();
    // The same key is still there to scan again.
    await expect(page.getByRole('img', { name: 'QR code' })).toBeVisible();
    await expect(page.getByRole('definition').first()).toHaveText(key);
    await context.setOffline(true);
    await press(page, 'Turn on');
    await expect(page.getByRole('alert')).toContainText('The service didn’t answer.');
    await expect(page.getByRole('definition').first()).toHaveText(key);
    await context.setOffline(false);
    await page.getByRole('textbox', { name: 'Code' }).fill(totp(key));
    await press(page, 'Turn on');
    const codes = page.locator('li').filter({ hasText: /^\w{5}-\w{5}$/ });
    await expect(codes).toHaveCount(10);
    const recovery = await codes.first().innerText();
    const download = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Download' }).click();
    expect((await download).suggestedFilename()).toBe('mesh-registry-recovery-codes.txt');
    await page.getByRole('link', { name: 'I’ve stored them' }).click();
    await expect(page.getByText('This browser, signed in')).toBeVisible();

    await signOut(page);
    await signIn(page);
    await page.getByRole('textbox', { name: 'Code' }).fill(totp(key, 1));
    await press(page, 'Continue');
    await expect(page).toHaveURL(`${server.url}/review`);

    // With a recovery code instead of the phone.
    await signOut(page);
    await signIn(page);
    await page.getByRole('textbox', { name: 'Code' }).fill(recovery);
    await press(page, 'Continue');
    await expect(page).toHaveURL(`${server.url}/review`);
  },
);
