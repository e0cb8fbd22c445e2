import type { Page, Request } from 'playwright/test';
import { generateNodeKey } from '@mesh-registry/protocol/keys/node-key.ts';
import { signRequest } from '@mesh-registry/protocol/keys/node-signature.ts';
import type { TestServer } from '../test/support/server.ts';
import { announce, ping } from './support/seed.ts';
import { test as base } from './support/fake-clock.ts';
import {
  CONNECTION_LOST,
  DESKTOP,
  expect,
  expectTakenOver,
  MORE,
  open,
  PHONE,
} from './support/test.ts';
import { accept, reject, revoke } from '../test/support/decisions.ts';
import { sendSigned } from '../test/support/node-keys.ts';

/** The test decides as a reviewer would. One name is taken. */
const test = base.extend({
  server: async ({ server }, use) => {
    await server.services.registration.start({
      action: 'start',
      name: 'garage',
      nodeId: 'node_other',
      class: 'M',
      region: 'EU',
      kinds: ['node'],
    });
    await use(server);
  },
});

const heading = (page: Page) => page.getByRole('heading', { level: 1 });
const field = (page: Page, name: string) => page.getByLabel(name, { exact: false });
const go = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
/** Does at once what the page does every few seconds. */
const lookAgain = (page: Page) => page.evaluate(() => window.dispatchEvent(new Event('online')));
/** Opens the last job, and reports the payment. */
async function reportPayment(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'I have already paid' }).click();
  await go(page, 'I have paid');
}
const idOf = (page: Page) => new URL(page.url()).pathname.slice('/register/'.length);

/** Collects the page's requests from now on that contain a registration's id anywhere. */
function requestsWithId(page: Page): Request[] {
  const found: Request[] = [];
  page.on('request', (request) => {
    const parts = [request.url(), request.postData() ?? '', ...Object.values(request.headers())];
    if (parts.some((part) => part.includes('reg_'))) found.push(request);
  });
  return found;
}

/** Only requests for its page and the page's data contain the id, and none of them is cached. */
async function expectKeptSecret(requests: Request[]): Promise<void> {
  expect(requests).not.toEqual([]);
  for (const request of requests) {
    const { pathname } = new URL(request.url());
    expect(pathname).toMatch(/^\/register\/reg_[\w-]{24}(\.data)?$/);
    const { referer } = await request.allHeaders();
    expect(referer ?? '').not.toContain('reg_');
    // There is none if the page was left before.
    const response = await request.response();
    if (response) expect(await response.headerValue('cache-control')).toBe('no-store');
  }
}

async function toCheck(page: Page, server: TestServer, name: string): Promise<void> {
  await open(page, `${server.url}/register?step=check&name=${name}&node=node_mine`);
  await expect(heading(page)).toHaveText('Check your details');
}

test(
  'an operator registers, pays, and sees the name become active without a reload',
  { tag: PHONE },
  async ({ page, context, server }) => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const clipboard = () => page.evaluate(() => navigator.clipboard.readText());
    await ping(server.url, {
      nodeId: 'node_mine',
      label: 'My node',
      lat: 48,
      lng: 11,
      region: 'EU',
    });
    await ping(server.url, { nodeId: 'node_else', lat: 1, lng: 1 });
    const withId = requestsWithId(page);
    await page.goto(`${server.url}/register`);

    // A taken name is reported while it is typed, with alternatives; the step stays until another one is entered.
    const name = page.getByRole('textbox', { name: 'Name' });
    await name.pressSequentially('Garage');
    await expect(page.getByText('garage is taken, not active yet.')).toBeVisible();
    await expect(page.getByText('Taken', { exact: true })).toBeVisible();
    await expect(name).toHaveAttribute('aria-invalid', 'true');
    await expect(page).toHaveURL(/name=Garage$/);
    await page.reload();
    await expectTakenOver(page);
    await expect(name).toHaveValue('Garage');
    await expect(name).toBeFocused();
    const entries = await page.evaluate(() => history.length);
    await page.getByRole('button', { name: 'Continue' }).click();
    await expect(name).toBeFocused();
    await page.getByRole('link', { name: 'garage-2' }).click();
    await expect(name).toHaveValue('garage-2');
    await expect(name).toBeFocused();
    await expect(page.getByText('Available', { exact: true })).toBeVisible();
    await expect(page.getByText('garage-2 is available.')).toBeAttached();
    expect(await page.evaluate(() => history.length)).toBe(entries);
    await page.keyboard.press('Enter');
    await expect(heading(page)).toHaveText('Choose its node');
    await expect(heading(page)).toBeFocused();

    // No node is offered: none was registered here. One that is up leads to the last step.
    const node = page.getByRole('combobox', { name: 'Node', exact: true });
    await node.click();
    await expect(page.getByRole('listbox')).toHaveCount(0);
    await node.fill('node_mine');
    await expect(page.getByRole('option')).toHaveText([/Use “node_mine” as an ID/]);
    await page.keyboard.press('Enter');
    await expect(page.getByText('online, last heartbeat')).toBeVisible();
    await expect(page.getByRole('link', { name: 'Change node' })).toBeFocused();
    await go(page, 'Continue');
    await expect(heading(page)).toHaveText('Check your details');
    await expect(page.getByRole('main').getByText('EU, Europe')).toBeVisible();

    // What was typed survives Back and Forward, including the last change.
    await page.getByRole('link', { name: 'Change label' }).click();
    await page.getByRole('radio', { name: /^M,/ }).check();
    await page.getByRole('textbox', { name: /Label/ }).fill('Down there');
    await go(page, 'Continue');
    await expect(heading(page)).toHaveText('Check your details');
    await expect(page.getByText('Down there', { exact: true })).toBeVisible();
    await page.goBack();
    await expect(page.getByRole('textbox', { name: /Label/ })).toHaveValue('Down there');
    await expect(page.getByRole('radio', { name: /^M,/ })).toBeChecked();
    await page.goForward();

    // Both clicks come before the response, however long they take.
    let clicked!: () => void;
    const clickedTwice = new Promise<void>((resolve) => (clicked = resolve));
    await page.route('**/register.data*', async (route) => {
      if (route.request().method() !== 'POST') return route.fallback();
      const response = await route.fetch();
      await clickedTwice;
      await route.fulfill({ response });
    });
    await page.getByRole('button', { name: 'Register garage-2' }).dblclick();
    clicked();
    await expect(heading(page)).toHaveText('garage-2 is reserved for you');
    await expect(heading(page)).toBeFocused();
    const { registration } = await server.services.registration.status(idOf(page));
    expect(registration).toMatchObject({ nodeId: 'node_mine', class: 'M', label: 'Down there' });
    await expect(page.getByText(/47 h 5\d min left/)).toBeVisible();

    // First its link is to be saved: this browser has it.
    const link = `${server.url}/register/${registration.id}`;
    await expect(page).toHaveURL(`${link}?job=save`);
    await expect(page.getByText('Saved in this browser.')).toBeVisible();

    // Back leads here again, then to the previous step; the operator's own name is not just reported as taken.
    const lastStep = page.waitForResponse((response) =>
      response.url().includes('/register.data?step=check'),
    );
    await page.goBack();
    await lastStep;
    await expect(page).toHaveURL(link);
    await page.goBack();
    await expect(page.getByText('You registered garage-2 in this browser:')).toBeVisible();
    await page.getByRole('link', { name: 'continue with it' }).click();
    await expect(heading(page)).toHaveText('garage-2 is reserved for you');

    // Once it is saved elsewhere, the way on is the button that stands out.
    // Whoever comes by the link has it; it is shown on request.
    await page.getByRole('link', { name: 'Show the link' }).click();
    await expect(page).toHaveURL(`${link}?job=save`);
    await expect(page.getByRole('heading', { name: 'Save this page’s link' })).toBeFocused();
    await go(page, 'Copy link');
    await expect.poll(clipboard).toBe(link);
    await page.getByRole('link', { name: 'Continue to payment' }).click();
    await expect(page).toHaveURL(`${link}?job=pay`);
    await expect(page.getByRole('heading', { name: 'Pay $5.00 with Cash App' })).toBeFocused();
    await expect(page.getByText('copied, and saved in this browser')).toBeVisible();
    await page.reload();
    await expectTakenOver(page);
    await go(page, 'Copy note');
    await expect.poll(clipboard).toBe(registration.paymentNote);
    await expect(page.getByText('Note copied')).toBeAttached();
    await go(page, 'Copy amount');
    await expect.poll(clipboard).toBe('$5.00');
    // A phone opens the app: nobody scans its own screen.
    const phone = await page.evaluate(() => matchMedia('(pointer: coarse)').matches);
    const code = page.getByRole('img', { name: /^QR code/ });
    await expect(code).toBeVisible({ visible: !phone });
    await expect(
      page.getByRole('link', { name: phone ? 'Open Cash App' : 'Open cash.app here' }),
    ).toHaveAttribute('href', registration.payUrl);
    await page
      .getByRole('link', { name: phone ? 'I paid another way' : 'Continue', exact: true })
      .click();
    await expect(page.getByRole('heading', { name: 'Report your payment' })).toBeFocused();
    // What is typed stays, whichever job is open and over a reload; Back opens the one before.
    await field(page, 'Confirmation text').fill('#D-7Q2M41');
    await page.goBack();
    await expect(page).toHaveURL(`${link}?job=pay`);
    await expect(field(page, 'Confirmation text')).toBeHidden();
    await page.goForward();
    await expect(field(page, 'Confirmation text')).toHaveValue('#D-7Q2M41');
    await page.reload();
    await expectTakenOver(page);
    await expect(field(page, 'Confirmation text')).toHaveValue('#D-7Q2M41');

    await go(page, 'I have paid');
    await expect(heading(page)).toHaveText('garage-2 is waiting for review');
    await expect(heading(page)).toBeFocused();
    await expect(page.getByRole('definition').filter({ hasText: 'given' })).toBeVisible();
    await accept(server.services, { id: registration.id, reviewer: 'ada@example.org' });
    await lookAgain(page);
    await expect(page).toHaveTitle(/^Active: garage-2/);
    await expect(heading(page)).toHaveText('garage-2 is active');
    await expect(page.getByText('garage-2 is active.')).toBeAttached();

    // The node of a registration can be chosen again; it has a name now.
    await page.goto(`${server.url}/register?step=node&name=another`);
    await node.click();
    await page.getByRole('option', { name: /My node/ }).click();
    await expect(page.getByText('registered on this device. It can have more')).toBeVisible();
    await expect(page).toHaveURL(/node=node_mine$/);

    // This browser remembers the registration until the operator makes it forget.
    await page.goto(`${server.url}/register`);
    const own = page.getByRole('region', { name: 'Your registrations on this device' });
    await expect(own.getByRole('link', { name: 'garage-2' })).toHaveAttribute(
      'href',
      `/register/${registration.id}`,
    );
    await own.getByRole('link', { name: 'garage-2' }).click();
    await expect(heading(page)).toHaveText('garage-2 is active');
    await page.getByRole('link', { name: 'View name' }).click();
    await expect(heading(page)).toHaveText('garage-2');
    await expectKeptSecret(withId);
    await page.goto(`${server.url}/register`);
    await own.getByRole('button', { name: 'Forget garage-2' }).click();
    await expect(own).toBeHidden();
    await expect.poll(() => page.evaluate(() => localStorage.length)).toBe(0);
  },
);

test.describe('on any screen', { tag: DESKTOP }, () => {
  test('a rejection shows automatically, and leads to a new registration with everything filled in', async ({
    page,
    server,
  }) => {
    await toCheck(page, server, 'attic');
    await page.getByRole('button', { name: 'Register attic' }).click();
    await reportPayment(page);
    await expect(heading(page)).toHaveText('attic is waiting for review');
    const first = idOf(page);
    const addresses: string[] = [];
    page.on('request', (request) => addresses.push(request.url()));
    await reject(server.services, { id: first, reviewer: 'ada', reason: 'Nothing came.' });
    await lookAgain(page);
    await expect(page.getByText('Nothing came.')).toBeVisible();
    await page.getByRole('link', { name: 'Register again, already paid' }).click();
    await expect(page.getByText('node_mine')).toBeVisible();
    await page.getByRole('button', { name: 'Register attic' }).click();
    await expect(heading(page)).toHaveText('attic is reserved for you');
    const second = idOf(page);
    expect(second).not.toBe(first);
    // Reviewers see both. The first one's id is a secret: only the form had it, no address.
    const { paymentNote: note } = await server.services.registration.get(second);
    const { registration } = await server.services.review.registration({ note, reviewer: 'ada' });
    expect(registration.earlier).toMatchObject({ name: 'attic', status: 'rejected' });
    expect(addresses.filter((url) => url.includes('/register?') && url.includes(first))).toEqual(
      [],
    );
    await page.goBack();
    await page.goForward();
    await expect(heading(page)).toHaveText('attic is reserved for you');
    expect(idOf(page)).toBe(second);
  });

  test('of the nodes only those of this browser are suggested, by keyboard too; any other is chosen by its exact ID', async ({
    page,
    context,
    server,
  }) => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const at = { lat: 48, lng: 11, region: 'EU' };
    await ping(server.url, { nodeId: 'berlin-w3k9', label: 'Werkstatt 3', ...at });
    await ping(server.url, { nodeId: 'berlin-wb2', label: 'Werkbank', ...at });
    await ping(server.url, { nodeId: 'werk-of-others', label: 'Werk of others', ...at });
    await open(page, `${server.url}/register?step=node&name=shed`);
    await page.evaluate(() => {
      const saved = ['berlin-w3k9', 'berlin-wb2'].map((nodeId, n) => {
        return { id: `reg_${String(n).padEnd(22, 'x')}`, name: `name-${n}`, nodeId };
      });
      localStorage.setItem('registrations', JSON.stringify(saved));
    });
    const asked: string[] = [];
    page.on('request', (request) => asked.push(decodeURIComponent(request.url())));
    await page.reload();
    await expectTakenOver(page);
    const node = page.getByRole('combobox', { name: 'Node', exact: true });
    const options = page.getByRole('listbox', { name: 'Your nodes' }).getByRole('option');
    await node.focus();
    await expect(options).toHaveText([/Werkstatt 3/, /Werkbank/]);
    await node.pressSequentially('werk');
    await expect(options).toHaveText([/Werkstatt 3/, /Werkbank/, /Use “werk” as an ID/]);
    await expect(page.getByText('Werk of others')).toHaveCount(0);
    // Escape closes the list, and the arrows open it.
    await page.keyboard.press('Escape');
    await expect(node).toHaveAttribute('aria-expanded', 'false');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await expect(options.nth(1)).toHaveAttribute('aria-selected', 'true');
    await expect(node).toHaveAttribute(
      'aria-activedescendant',
      (await options.nth(1).getAttribute('id')) ?? '',
    );
    await page.keyboard.press('Enter');
    const change = page.getByRole('link', { name: 'Change node' });
    await expect(change).toBeFocused();
    await expect(page).toHaveURL(/node=berlin-wb2$/);

    // What is pasted is chosen at once if it is a node’s exact ID.
    await page.keyboard.press('Enter');
    await expect(node).toBeFocused();
    await page.evaluate(() => navigator.clipboard.writeText('werk-of-others'));
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.press('ControlOrMeta+v');
    await expect(change).toBeFocused();
    await expect(page.getByText('Werk of others').first()).toBeVisible();
    await go(page, 'Continue');
    await expect(heading(page)).toHaveText('Check your details');
    // Nothing searches or lists nodes: each is asked for by its ID.
    expect(
      asked.filter((url) => /mesh\.(list|get|places|peersAt|changes)|search/.test(url)),
    ).toEqual([]);
  });

  test('an offer of the node gives the registration its name; a label that can’t be published is refused at its field', async ({
    page,
    server,
  }) => {
    await ping(server.url, { nodeId: 'werk-3', label: 'Werkstatt 3', lat: 48, lng: 11 });
    const computes = [{ name: 'whisper-lab', replicas: 4, freeSlots: 2 }];
    await announce(server.url, { nodeId: 'werk-3', computes });
    await open(page, `${server.url}/nodes/werk-3`);
    await page.getByRole('main').getByRole('link', { name: 'Register a name' }).first().click();
    const name = page.getByRole('textbox', { name: 'Name' });
    await expect(name).toHaveValue('whisper-lab');
    await name.fill('shed');
    await expect(page.getByText('Available', { exact: true })).toBeVisible();
    for (const kind of ['Node', 'Compute offer'])
      await page.getByRole('checkbox', { name: kind }).uncheck();
    await go(page, 'Continue');
    await expect(page.getByText('Choose at least one.')).toBeVisible();
    await expect(page.getByRole('checkbox', { name: 'Node' })).toBeFocused();
    await page.getByRole('checkbox', { name: 'Compute offer' }).check();
    await go(page, 'Continue');

    const warning = page.getByText('Werkstatt 3 doesn’t announce “shed”.');
    await expect(warning).toBeVisible();
    await page.getByRole('radio', { name: /^whisper-lab/ }).check();
    await expect(warning).toBeHidden();
    await expect(page).toHaveURL(/name=whisper-lab&typed=shed/);
    await page.getByRole('link', { name: 'Name', exact: true }).click();
    await expect(name).toHaveValue('whisper-lab');
    await page.goBack();
    await expect(page.getByRole('radio', { name: /^whisper-lab/ })).toBeChecked();
    await expect(page.getByRole('radio', { name: /^shed/ })).not.toBeChecked();
    await go(page, 'Continue');
    await expect(page.getByText('Compute offer', { exact: true })).toBeVisible();

    await page.getByRole('link', { name: 'Change label' }).click();
    const label = page.getByRole('textbox', { name: /Label/ });
    const refusal = page.getByText('A label can’t be a hostname or an IP address.');
    await label.fill('werk3.example.org');
    await expect(page).toHaveURL(/label=werk3/);
    await expect(refusal).toBeHidden();
    await page.keyboard.press('Tab');
    await expect(refusal).toBeVisible();
    await go(page, 'Continue');
    await expect(heading(page)).toHaveText('Details');
    await expect(label).toBeFocused();
    await page.getByRole('link', { name: 'Use “Werkstatt 3”' }).click();
    await expect(label).toHaveValue('Werkstatt 3');
    await expect(refusal).toBeHidden();
    // As the node says it: that is no answer of the operator’s own.
    await expect(page).not.toHaveURL(/label=/);
    await go(page, 'Continue');
    await page.getByRole('button', { name: 'Register whisper-lab' }).click();
    await expect(page).toHaveURL(/\/register\/reg_/);
    const { registration } = await server.services.registration.status(idOf(page));
    expect(registration).toMatchObject({
      name: 'whisper-lab',
      label: 'Werkstatt 3',
      kinds: ['compute'],
    });
  });

  test('a reviewer asks, and the operator answers on the page; what was typed lasts over a reload', async ({
    page,
    server,
  }) => {
    const { registration, review } = server.services;
    const { id, paymentNote } = await registration.start({
      action: 'start',
      name: 'attic',
      nodeId: 'node_mine',
      kinds: ['node'],
    });
    await registration.confirm({ id });
    await open(page, `${server.url}/register/${id}`);
    await expect(page.getByText('Next', { exact: true })).toBeVisible();
    await review.ask({ note: paymentNote, text: 'Who has paid?', reviewer: 'ada@example.org' });
    await lookAgain(page);
    await expect(heading(page)).toHaveText('A reviewer asks about attic');
    await expect(page).toHaveTitle(/^Question: attic/);
    await expect(page.getByText('A reviewer asks about attic.')).toBeAttached();
    await expect(page.getByText('ada@')).toHaveCount(0);
    const answer = page.getByRole('textbox', { name: 'Your answer' });
    await answer.fill('My sister, J. Doe.');
    await expect(page.getByText('18 of 500')).toBeVisible();
    await page.reload();
    await expectTakenOver(page);
    await expect(answer).toHaveValue('My sister, J. Doe.');
    await go(page, 'Send answer');
    await expect(heading(page)).toHaveText('attic is waiting for review');
    await expect(heading(page)).toBeFocused();
    await expect(page.getByRole('region', { name: 'Question' })).toContainText(
      'My sister, J. Doe.',
    );
    const { questions } = await registration.get(id);
    expect(questions).toMatchObject([{ answers: [{ text: 'My sister, J. Doe.' }] }]);

    // It can be added to, and begins empty again.
    await page.getByText('Add to your answer').click();
    await expect(answer).toHaveValue('');
    await answer.fill('On Monday.');
    await go(page, 'Send answer');
    await expect(page.getByRole('region', { name: 'Question' })).toContainText('On Monday.');
  });

  test('a browser that stores nothing says so, and a link that is forgotten stays forgotten', async ({
    page,
    server,
  }) => {
    const { id } = await server.services.registration.start({
      action: 'start',
      name: 'attic',
      nodeId: 'node_mine',
      kinds: ['node'],
    });
    const path = `${server.url}/register/${id}?job=save`;
    await open(page, path);
    await go(page, 'Forget it here');
    await expect(page.getByText('Not saved in this browser.')).toBeVisible();
    await page.reload();
    await expectTakenOver(page);
    await expect(page.getByText('Not saved in this browser.')).toBeVisible();
    await go(page, 'Save it here');
    await expect(page.getByText('Saved in this browser.')).toBeVisible();

    await page.addInitScript(() => {
      Storage.prototype.setItem = () => {
        throw new DOMException('', 'QuotaExceededError');
      };
    });
    await open(page, path);
    await expect(page.getByText('This browser can’t save the link: copy it.')).toBeVisible();
  });

  test('the time that is left is said when it is nearly over', async ({ page, server, clock }) => {
    await toCheck(page, server, 'attic');
    await page.getByRole('button', { name: 'Register attic' }).click();
    await expect(heading(page)).toHaveText('attic is reserved for you');
    await expect(page.getByText(/The reservation ends in/)).toHaveCount(0);
    clock.advance(server.services.config.holdMs - 2 * 3_600_000 + 60_000);
    await lookAgain(page);
    await expect(page.getByText(/The reservation ends in 1 h 5\d min\./)).toHaveCount(2);
    await page.getByRole('link', { name: 'I have already paid' }).first().click();
    await expect(page.getByLabel('Confirmation text')).toBeVisible();
  });

  test('details are corrected and the registration is cancelled on its page', async ({
    page,
    server,
  }) => {
    await toCheck(page, server, 'attic');
    await page.getByRole('button', { name: 'Register attic' }).click();
    await page.getByText('Correct label, class or region').click();
    await field(page, 'Label').fill('Under the roof');
    await page.getByLabel('Class').selectOption('L, large');
    await go(page, 'Save');
    await expect(page.getByRole('definition').filter({ hasText: 'Under the roof' })).toBeVisible();
    // The form has closed, and has the new details.
    await expect(field(page, 'Label')).toBeHidden();
    await page.getByText('Correct label, class or region').click();
    await expect(field(page, 'Label')).toHaveValue('Under the roof');
    await page.getByText('Cancel this registration').click();
    await go(page, 'Cancel registration');
    await expect(heading(page)).toHaveText('You cancelled attic');
    await expect(heading(page)).toBeFocused();
    await page.getByRole('link', { name: 'Register attic again' }).click();
    await expect(page.getByText('Under the roof', { exact: true })).toBeVisible();

    // This browser still knows the registration, and that it has ended.
    await page.goto(`${server.url}/register`);
    const own = page.getByRole('region', { name: 'Your registrations on this device' });
    await expect(own.getByRole('listitem')).toHaveText(/^attic\s*ended/);
  });

  test('the page shows how to prove the node, and turns to “proved” by itself', async ({
    page,
    context,
    server,
    clock,
  }) => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await toCheck(page, server, 'attic');
    await page.getByRole('button', { name: 'Register attic' }).click();
    await expect(heading(page)).toHaveText('attic is reserved for you');
    const proof = page.getByRole('region', { name: 'More' });
    await proof.getByText('optional, with its key').click();
    const command = `mesh-agent claim ${server.url}/register/${idOf(page)}`;
    await expect(proof.getByText(command)).toBeVisible();
    await proof.getByRole('button', { name: 'Copy command' }).click();
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(command);

    // What the agent then sends.
    const url = new URL('/api/mesh/nodes/node_mine/registrations', server.url);
    const body = JSON.stringify({ id: idOf(page) });
    const key = generateNodeKey();
    const signature = signRequest({ method: 'POST', url, body }, key, clock.read());
    const claimed = await fetch(url, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', ...signature },
    });
    expect(claimed.status).toBe(200);
    await lookAgain(page);
    // A stranger has a key, too: the node's own is the one that signs its heartbeats.
    await expect(page.getByText('This node has never sent a heartbeat')).toBeVisible();
    await expect(proof).toContainText('what the node sends isn’t signed by it');
    const sent = { key, now: clock.read(), body: { nodeId: 'node_mine', lat: 37.7, lng: -122.4 } };
    expect((await sendSigned(server, '/api/mesh/ping', sent)).status).toBe(201);
    await lookAgain(page);
    await expect(proof.getByText('Node key')).toBeVisible();
    await expect(proof).toContainText('Proved by the key of node_mine');
    await expect(page.getByText('Proved by the key of node_mine.').first()).toBeAttached();
    // Unpaid, the link still ends it; once the payment is reported, only the key does.
    const cancel = page.getByRole('button', { name: 'Cancel registration', includeHidden: true });
    await expect(cancel).toHaveCount(1);
    await reportPayment(page);
    await expect(cancel).toHaveCount(0);
    await page.getByText('Cancel this registration').click();
    await expect(page.getByText(`mesh-agent register --cancel ${idOf(page)}`)).toBeVisible();
  });

  test('a payment after the reservation expired can still be reported while nobody else has the name', async ({
    page,
    server,
    clock,
  }) => {
    await toCheck(page, server, 'attic');
    await page.getByRole('button', { name: 'Register attic' }).click();
    await expect(heading(page)).toHaveText('attic is reserved for you');
    await page.getByRole('link', { name: 'I have already paid' }).click();
    const text = page.getByLabel('Confirmation text');
    await text.fill('#D-7Q');
    clock.advance(server.services.config.holdMs + 1000);
    await lookAgain(page);
    await expect(page.getByRole('region', { name: 'If you paid' })).toBeVisible();
    // The reservation expired while it was typed; the text stays.
    await expect(text).toBeFocused();
    await page.keyboard.type('2M41');
    await expect(text).toHaveValue('#D-7Q2M41');
    const { available } = server.services.names.availability('attic');
    expect(available).toBe(true);
    await go(page, 'I have paid');
    await expect(heading(page)).toHaveText('attic is waiting for review');
    expect(server.services.names.availability('attic').available).toBe(false);
  });

  test(
    'what was typed survives a slow connection: on reload, in the page’s links and on Back',
    { tag: MORE },
    async ({ page, server }) => {
      await ping(server.url, { nodeId: 'node_big', lat: 1, lng: 1, class: 'L', region: 'EU' });
      await open(page, `${server.url}/register`);
      // From now on no loader of the wizard responds.
      await page.route('**/register.data*', () => {});
      const name = page.getByRole('textbox', { name: 'Name' });
      await name.fill('shed');
      await page.reload();
      await expectTakenOver(page);
      await expect(name).toHaveValue('shed');
      await name.fill('shed-2');
      await page.getByRole('link', { name: 'Privacy' }).first().click();
      await expect(page).toHaveURL(/privacy/);
      await page.unroute('**/register.data*');
      await page.goBack();
      await expect(name).toHaveValue('shed-2');

      const label = page.getByRole('textbox', { name: /Label/ });
      await open(page, `${server.url}/register?step=details&name=shed&node=node_big`);
      await expect(page.getByRole('radio', { name: /^L,/ })).toBeChecked();
      await expect(page.getByLabel('Region')).toHaveValue('EU, Europe');
      await page.route('**/register.data*', () => {});
      await label.fill('Down there');
      await page.reload();
      await expectTakenOver(page);
      await expect(label).toHaveValue('Down there');
      await expect(page.getByRole('radio', { name: /^L,/ })).toBeChecked();
      await page.getByRole('radio', { name: /^M,/ }).check();
      for (const link of ['Back', 'Name'])
        await expect(page.getByRole('link', { name: link, exact: true })).toHaveAttribute(
          'href',
          /class=M&label=Down\+there&node=node_big$/,
        );
      await page.unroute('**/register.data*');
      await label.fill('Down here');
      await page.getByRole('link', { name: 'Back', exact: true }).click();
      await expect(heading(page)).toHaveText('Choose its node');
      await go(page, 'Continue');
      await expect(page.getByText('Down here', { exact: true })).toBeVisible();
    },
  );

  test(
    'a name that is typed before the scripts have come is checked',
    { tag: MORE },
    async ({ page, server }) => {
      let release = () => {};
      const typed = new Promise<void>((resolve) => (release = resolve));
      await page.route('**/assets/*.js', async (route) => {
        await typed;
        await route.continue();
      });
      await page.goto(`${server.url}/register`, { waitUntil: 'commit' });
      const name = page.getByRole('textbox', { name: 'Name' });
      await name.fill('Garage');
      release();
      await expect(page.getByText('garage is taken, not active yet.')).toBeVisible();
      await expect(name).toHaveValue('Garage');
    },
  );

  test(
    'the longest names, labels and ids fit a narrow phone',
    { tag: MORE },
    async ({ page, server, clock }) => {
      const { registration } = server.services;
      const [name, nodeId, label] = ['m'.repeat(32), 'w'.repeat(64), 'M'.repeat(64)];
      await ping(server.url, { nodeId, label, lat: 1, lng: 1 });
      await ping(server.url, { nodeId: 'node_long', label, lat: 1, lng: 1 });
      const begin = () =>
        registration.start({
          ...{ action: 'start', name, nodeId, label, class: 'M', region: 'W'.repeat(16) },
          kinds: ['node', 'compute'],
        });
      const pay = await begin();
      const answers = `name=${name.slice(1)}&node=${nodeId}&region=${pay.region}&label=${label}`;
      await page.setViewportSize({ width: 320, height: 800 });
      const expectToFit = async (path: string) => {
        await open(page, server.url + path);
        await page.evaluate(() =>
          document.querySelectorAll('details').forEach((d) => (d.open = true)),
        );
        await expect
          .poll(() => page.evaluate(() => document.documentElement.scrollWidth), path)
          .toBe(320);
      };
      for (const step of [
        `name=${name}`,
        `step=node&name=${name.slice(1)}`,
        `step=node&name=${name.slice(1)}&node=${nodeId}`,
        `step=details&${answers}`,
        `step=check&${answers}`,
      ])
        await expectToFit(`/register?${step}`);
      await expectToFit(`/register/${pay.id}?earlier=${pay.paymentNote}`);
      clock.advance(server.services.config.holdMs);
      await expectToFit(`/register/${pay.id}`);
      const { id } = await begin();
      await expectToFit(`/register/${pay.id}`);
      await registration.confirm({ id });
      await expectToFit(`/register/${id}`);
      await accept(server.services, { id, reviewer: 'ada' });
      await expectToFit(`/register/${id}`);
      await revoke(server.services, { id, reviewer: 'ada', reason: 'R'.repeat(200) });
      await expectToFit(`/register/${id}`);
    },
  );

  test(
    'a lost connection loses nothing that was typed, and starts nothing twice',
    { tag: MORE },
    async ({ page, context, server, allowed }) => {
      allowed.push(CONNECTION_LOST);
      await page.goto(`${server.url}/register?step=node&name=shed`);
      await expectTakenOver(page);
      const node = page.getByRole('combobox', { name: 'Node', exact: true });
      await node.fill('node_shed');
      await expect(page).toHaveURL(/node=node_shed/);
      await context.setOffline(true);
      await go(page, 'Continue');
      await expect(page.getByRole('alert')).toContainText('The service isn’t responding.');
      await expect(page.getByText('node_shed', { exact: true }).first()).toBeVisible();
      await context.setOffline(false);
      await go(page, 'Continue');
      await expect(heading(page)).toHaveText('Details');
      await context.setOffline(true);
      const label = page.getByRole('textbox', { name: /Label/ });
      await label.fill('Kept');
      await go(page, 'Continue');
      await expect(page.getByRole('alert')).toContainText('The service isn’t responding.');
      await expect(label).toHaveValue('Kept');
      await context.setOffline(false);
      await go(page, 'Continue');
      await expect(heading(page)).toHaveText('Check your details');
      await context.setOffline(true);
      await page.getByRole('button', { name: 'Register shed' }).click();
      await expect(page.getByRole('alert')).toContainText('The service didn’t answer.');
      await context.setOffline(false);
      await page.getByRole('button', { name: 'Register shed' }).click();
      await expect(heading(page)).toHaveText('shed is reserved for you');
      const { registration } = await server.services.registration.status(idOf(page));
      expect(registration.label).toBe('Kept');
    },
  );
});
