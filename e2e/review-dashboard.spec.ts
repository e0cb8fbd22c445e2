import { readFile } from 'node:fs/promises';
import { signIn } from './support/reviewer.ts';
import {
  expectLive,
  openQueue,
  panel,
  reportPayment,
  row,
  rowLink,
  test,
  undoBar,
} from './support/review.ts';
import { CONNECTION_LOST, DESKTOP, expect, MORE, open } from './support/test.ts';

test(
  'shortcuts work where the browser blocks storage, and can be switched off and on',
  { tag: [DESKTOP, MORE] },
  async ({ page, server, clock, ada }) => {
    await reportPayment(server, clock, 'garage');
    await page.addInitScript(() => {
      Object.defineProperty(window, 'localStorage', {
        get() {
          throw new DOMException('Access is denied for this document.', 'SecurityError');
        },
      });
    });
    await signIn(page, server, ada);
    await openQueue(page, server);
    await rowLink(page, 'garage').click();
    await expect(panel(page, 'garage').getByRole('button', { name: 'Accept a' })).toBeVisible();

    const shortcuts = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    const setting = page.getByLabel('Use keyboard shortcuts on this device');
    await page.keyboard.press('?');
    await setting.uncheck();
    await page.keyboard.press('Escape');
    await expect(shortcuts).toBeHidden();
    await expect(panel(page, 'garage').getByText('Accept', { exact: true })).toBeVisible();
    await page.keyboard.press('?');
    await page.keyboard.press('a');
    await expect(shortcuts).toBeHidden();

    await page.getByRole('button', { name: 'Shortcuts' }).click();
    await setting.check();
    await page.keyboard.press('Escape');
    await expect(undoBar(page)).toBeHidden();
    await page.keyboard.press('a');
    await expect(undoBar(page)).toContainText('garage accepted');
  },
);

test(
  'shortcuts continue where they were once their help is closed',
  { tag: [DESKTOP, MORE] },
  async ({ page, server, clock, ada }) => {
    await reportPayment(server, clock, 'garage');
    await signIn(page, server, ada);
    await openQueue(page, server);
    const help = async () => {
      await page.keyboard.press('?');
      await expect(page.getByRole('dialog')).toBeVisible();
      // The setting's checkbox has the focus inside the dialog, but is not where the reviewer was.
      await page.getByLabel('Use keyboard shortcuts on this device').focus();
      await page.keyboard.press('Escape');
      await expect(page.getByRole('dialog')).toBeHidden();
    };
    // Nothing had the focus.
    await help();
    await page.keyboard.press('j');
    await expect(rowLink(page, 'garage')).toBeFocused();
    await help();
    await expect(rowLink(page, 'garage')).toBeFocused();
    await page.keyboard.press('o');
    await expect(page.getByRole('heading', { name: 'garage' })).toBeFocused();
    await help();
    await page.keyboard.press('r');
    await expect(page.getByLabel('No payment with this note was found.')).toBeFocused();
  },
);

test(
  'the list takes the whole width until a registration is open, and its row differs from the one under the pointer',
  { tag: [DESKTOP, MORE] },
  async ({ page, server, clock, ada }) => {
    await reportPayment(server, clock, 'garage');
    await reportPayment(server, clock, 'attic');
    await signIn(page, server, ada);
    await openQueue(page, server);
    const table = page.getByRole('table');
    const width = async () => (await table.boundingBox())?.width ?? 0;
    await expect.poll(width).toBeGreaterThan(1200);
    const alone = await width();
    await rowLink(page, 'garage').click();
    await expect(panel(page, 'garage')).toBeVisible();
    const beside = async () => panel(page, 'garage').boundingBox();
    await expect
      .poll(async () => (await width()) + ((await beside())?.width ?? Infinity))
      .toBeLessThanOrEqual(alone);
    await expect.poll(async () => (await beside())?.y).toBeLessThan(300);
    // The buttons are in sight without scrolling.
    await expect(panel(page, 'garage').getByRole('button', { name: /^Accept/ })).toBeInViewport({
      ratio: 1,
    });

    const background = (name: string) =>
      row(page, name).evaluate((element) => getComputedStyle(element).background);
    const plain = await background('attic');
    await row(page, 'attic').hover();
    await expect.poll(() => background('attic')).not.toBe(plain);
    const [hovered, chosen] = [await background('attic'), await background('garage')];
    expect(new Set([plain, hovered, chosen]).size).toBe(3);
  },
);

test(
  'on a narrow screen the tabs scroll sideways, and show the page that is open',
  { tag: [DESKTOP, MORE] },
  async ({ page, server, ada }) => {
    await page.setViewportSize({ width: 390, height: 844 });
    await signIn(page, server, ada);
    await open(page, `${server.url}/review/nodes`);
    const tabs = page.getByRole('navigation', { name: 'Review' });
    await expect(tabs.getByRole('link', { name: 'Nodes', exact: true })).toBeInViewport({
      ratio: 1,
    });
    await expect(tabs.getByRole('link', { name: 'Queue' })).not.toBeInViewport();
    const tops = await tabs
      .getByRole('link')
      .evaluateAll((links) => links.map((link) => link.getBoundingClientRect().top));
    expect(new Set(tops).size).toBe(1);
    await expect
      .poll(() => page.evaluate(() => document.documentElement.scrollWidth - innerWidth))
      .toBe(0);
  },
);

test(
  'a failed sign-out says so, and the page stays',
  { tag: [DESKTOP, MORE] },
  async ({ page, context, server, ada, allowed }) => {
    allowed.push(CONNECTION_LOST);
    await signIn(page, server, ada);
    await page.goto(`${server.url}/review`);
    await expectLive(page);
    const signOut = page.getByRole('button', { name: 'Sign out' });
    await context.setOffline(true);
    await signOut.click();
    await expect(page.getByRole('alert')).toContainText('Couldn’t sign you out.');
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Nothing is waiting');
    await context.setOffline(false);
    await signOut.click();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Reviewer sign-in');
    await page.goto(`${server.url}/review`);
    await expect(page).toHaveURL(/\/review\/sign-in/);
  },
);

test(
  'a name is reserved and released with the keyboard; Escape closes a row’s form',
  { tag: DESKTOP },
  async ({ page, server, ada, allowed }) => {
    allowed.push(/status of 400/);
    await signIn(page, server, ada);
    await open(page, `${server.url}/review/names`);
    await page.getByLabel('Name', { exact: true }).focus();
    await page.keyboard.type('bank');
    await page.keyboard.press('Tab');
    await page.keyboard.type('looks official');
    await page.keyboard.press('Enter');
    await expect(page.getByRole('heading', { name: '1 name matching “bank”' })).toBeVisible();

    const bank = page.getByRole('row', { name: /^bank/ });
    const release = bank.getByText('Release: bank');
    await release.focus();
    await page.keyboard.press('Enter');
    const reason = bank.getByLabel('Reason', { exact: true });
    await page.keyboard.press('Tab');
    await expect(reason).toBeFocused();
    // A reason of spaces passes the browser's own check, and the service refuses it.
    await page.keyboard.type(' ');
    await page.keyboard.press('Enter');
    await expect(bank.getByRole('alert')).toBeFocused();
    await expect(reason).toHaveAccessibleDescription('This must have 1 to 500 characters.');
    await page.keyboard.press('Escape');
    await expect(reason).toBeHidden();
    await expect(release).toBeFocused();

    await page.keyboard.press('Enter');
    await reason.fill('not needed any more');
    await page.keyboard.press('Enter');
    await expect(page.getByRole('heading', { name: 'No names matching “bank”' })).toBeVisible();
  },
);

test(
  'the blocked nodes are downloaded as proposed bans',
  { tag: DESKTOP },
  async ({ page, server, ada }) => {
    await signIn(page, server, ada);
    await open(page, `${server.url}/review/nodes`);
    const button = page.getByRole('link', { name: 'Download as proposed bans', exact: true });
    await expect(button).toHaveCount(0);
    const form = page.getByRole('region', { name: 'Block a node' });
    await form.getByLabel('Node ID').fill('node_spam');
    await form.getByLabel('Reason').fill('It sends nonsense.');
    await form.getByRole('button', { name: 'Block', exact: true }).click();
    const started = page.waitForEvent('download');
    await button.click();
    const download = await started;
    expect(download.suggestedFilename()).toBe('bans.json');
    const list = JSON.parse(await readFile(await download.path(), 'utf8')) as unknown;
    expect(list).toMatchObject({ bans: [], notBannable: [{ nodeId: 'node_spam' }] });
  },
);
