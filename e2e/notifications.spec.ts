import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Page } from 'playwright/test';
import type { TestServer } from '../test/support/server.ts';
import { test as base } from './support/fake-clock.ts';
import { CONNECTION_LOST, DESKTOP, expect, open } from './support/test.ts';

interface Received {
  path: string;
}

/** A receiver on this machine, which keeps what it got. */
const test = base.extend<{ receiver: { url: string; received: Received[]; status: number } }>({
  receiver: async ({}, use) => {
    const received: Received[] = [];
    const receiver = { url: '', received, status: 204 };
    const listening = createServer((request, response) => {
      void text(request).then(() => {
        received.push({ path: request.url ?? '' });
        response.writeHead(receiver.status).end();
      });
    }).listen(0, '127.0.0.1');
    await once(listening, 'listening');
    receiver.url = `http://127.0.0.1:${(listening.address() as AddressInfo).port}`;
    await use(receiver);
    listening.close();
    listening.closeAllConnections();
  },
});

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
const status = (page: Page) => page.getByRole('main').getByRole('status');
const address = (page: Page) => page.getByRole('textbox', { name: 'Address' });

/** Starts a registration, and opens its notifications from its page. */
async function openNotifications(page: Page, { url, services }: TestServer): Promise<void> {
  const { id } = await services.registration.start({
    action: 'start',
    name: 'garage',
    nodeId: 'node_a',
    kinds: ['node'],
  });
  await open(page, `${url}/register/${id}`);
  await page.getByRole('link', { name: 'Notifications', exact: true }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Notifications for garage');
}

test.describe('the notifications of a registration', { tag: DESKTOP }, () => {
  test('an ntfy topic is set up, tested, switched off, changed and removed', async ({
    page,
    server,
    receiver,
    allowed,
  }) => {
    allowed.push(/status of 400/);
    await openNotifications(page, server);

    // A wrong address is refused at its field; what was typed stays.
    await page.getByRole('radio', { name: 'ntfy' }).check();
    await address(page).fill('http://example.org/topic');
    await press(page, 'Save');
    await expect(address(page)).toHaveAttribute('aria-invalid', 'true');
    await expect(address(page)).toHaveValue('http://example.org/topic');
    expect(receiver.received).toEqual([]);

    await address(page).fill(`${receiver.url}/first-topic`);
    await page.getByLabel('Minutes without a heartbeat').fill('30');
    await page.getByLabel('The node is back, after it was reported offline').uncheck();
    await press(page, 'Save');
    await expect(status(page)).toHaveText('Saved. Send a test to see whether messages arrive.');
    const state = page.getByRole('region', { name: 'Notifications are on' });
    await expect(state).toContainText(`the ntfy topic at ${new URL(receiver.url).host}.`);
    // The address itself is never shown again.
    await expect(address(page)).toHaveValue('');
    await expect(page.getByText('first-topic')).toHaveCount(0);

    await press(page, 'Send a test');
    await expect(status(page)).toHaveText('Test: Delivered. The receiver answered 204.');
    await expect.poll(() => receiver.received).toMatchObject([{ path: '/first-topic' }]);
    await expect(state.getByText('delivered')).toBeVisible();

    await press(page, 'Turn off');
    await expect(status(page)).toHaveText('Notifications are off. The address is kept.');
    await press(page, 'Turn on');
    await expect(status(page)).toHaveText('Notifications are on.');

    // Only the address changes; the rest is as it was, also after a reload.
    await address(page).fill(`${receiver.url}/second-topic`);
    await press(page, 'Save changes');
    await expect(status(page)).toHaveText('Saved. Send a test to see whether messages arrive.');
    receiver.status = 500;
    await press(page, 'Send a test');
    await expect(status(page)).toHaveText('Test: The receiver answered 500.');
    await expect.poll(() => receiver.received.at(-1)).toMatchObject({ path: '/second-topic' });
    await page.reload();
    await expect(page.getByLabel('Minutes without a heartbeat')).toHaveValue('30');
    await expect(
      page.getByLabel('The node is back, after it was reported offline'),
    ).not.toBeChecked();
    await expect(page.getByRole('radio', { name: 'ntfy' })).toBeChecked();

    // It asks first: the safe answer has the focus, and Escape gives it.
    const remove = page.getByText('Remove address').first();
    await remove.click();
    await expect(page.getByRole('button', { name: 'Keep it' })).toBeFocused();
    await page.keyboard.press('Escape');
    await expect(page.getByRole('button', { name: 'Keep it' })).toBeHidden();
    await expect(remove).toBeFocused();
    await remove.press('Enter');
    await press(page, 'Remove address');
    await expect(status(page)).toBeFocused();
    await expect(status(page)).toHaveText('The address and its messages are deleted.');
    await expect(page.getByRole('region', { name: 'Set up' })).toBeVisible();
    await page.getByRole('link', { name: 'View registration' }).click();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('garage is reserved for you');
  });

  test('a webhook shows its secret once, and gets another one on request', async ({
    page,
    server,
    receiver,
  }) => {
    await openNotifications(page, server);
    await address(page).fill(`${receiver.url}/hook`);
    await press(page, 'Save');
    const secret = page.getByRole('region', { name: 'Signing secret' }).getByText(/^whsec_/);
    await expect(secret).toBeVisible();
    const first = await secret.textContent();
    await press(page, 'Send a test');
    await expect(status(page)).toHaveText('Test: Delivered. The receiver answered 204.');
    await expect(secret).toHaveCount(0);
    await expect.poll(() => receiver.received.map(({ path }) => path)).toEqual(['/hook']);
    await page.getByText('Renew secret').first().click();
    await expect(page.getByRole('button', { name: 'Keep this one' })).toBeFocused();
    await press(page, 'Renew secret');
    await expect(status(page)).toHaveText('The old secret no longer works.');
    await expect(secret).toBeVisible();
    await expect(secret).not.toHaveText(first ?? '');
  });

  test('saved offline, what was typed stays and can be saved again', async ({
    page,
    context,
    server,
    receiver,
    allowed,
  }) => {
    allowed.push(CONNECTION_LOST);
    await openNotifications(page, server);
    await page.getByRole('radio', { name: 'ntfy' }).check();
    await address(page).fill(`${receiver.url}/topic`);
    await context.setOffline(true);
    await press(page, 'Save');
    await expect(page.getByRole('alert')).toContainText('Not saved yet: you’re offline.');
    await expect(address(page)).toHaveValue(`${receiver.url}/topic`);
    await expect(page.getByRole('radio', { name: 'ntfy' })).toBeChecked();
    await context.setOffline(false);
    await press(page, 'Save again');
    await expect(status(page)).toHaveText('Saved. Send a test to see whether messages arrive.');
    await expect(page.getByRole('button', { name: 'Save changes' })).toBeFocused();
  });
});
