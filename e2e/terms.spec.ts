import { ping } from './support/seed.ts';
import { DESKTOP, expect, ONLY_PHONE, open, PHONE, test } from './support/test.ts';

/** Words that explain themselves where they stand. */

test(
  'a term opens on hover and on focus, stays when pressed, and closes on Escape',
  {
    tag: DESKTOP,
  },
  async ({ page, server }) => {
    await ping(server.url, { nodeId: 'node_term', lat: 48, lng: 11 });
    await open(page, `${server.url}/register?step=check&name=attic&kinds=node&node=node_term`);
    const word = page.getByRole('button', { name: 'Class', exact: true });
    const meaning = page.getByText('How large the machine is');
    await expect(meaning).toBeHidden();
    await expect(word).toHaveAccessibleDescription(/^How large the machine is: S small/);

    await word.hover();
    await expect(meaning).toBeVisible();
    // The pointer can go on to what has opened.
    await page.getByRole('link', { name: 'All terms' }).hover();
    await expect(meaning).toBeVisible();
    await page.mouse.move(0, 0);
    await expect(meaning).toBeHidden();

    await word.click();
    await page.mouse.move(0, 0);
    await expect(meaning).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(meaning).toBeHidden();

    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Tab');
    await expect(word).toBeFocused();
    await expect(meaning).toBeVisible();
    await page.keyboard.press('Tab');
    await expect(page.getByRole('link', { name: 'All terms' })).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(`${server.url}/docs#glossary-class`);
  },
);

test(
  'a tap opens a term within the window, and another one closes it',
  {
    tag: [PHONE, ONLY_PHONE],
  },
  async ({ page, server }) => {
    await ping(server.url, { nodeId: 'node_term', lat: 48, lng: 11 });
    await open(page, `${server.url}/register?step=check&name=attic&kinds=node&node=node_term`);
    const word = page.getByRole('button', { name: 'Class', exact: true });
    const meaning = page.getByText('How large the machine is');
    await word.tap();
    await expect(meaning).toBeInViewport({ ratio: 1 });
    await word.tap();
    await expect(meaning).toBeHidden();
  },
);

test.describe('without scripts', () => {
  test.use({ javaScriptEnabled: false });
  test('a term opens when it is pressed', { tag: DESKTOP }, async ({ page, server }) => {
    await ping(server.url, { nodeId: 'node_term', lat: 48, lng: 11 });
    await page.goto(`${server.url}/register?step=check&name=attic&kinds=node&node=node_term`);
    await page.getByRole('button', { name: 'Class', exact: true }).click();
    await expect(page.getByText('How large the machine is')).toBeInViewport({ ratio: 1 });
  });
});
