import type { Page } from 'playwright/test';
import { exportFor } from '../test/review/exports.ts';
import { reviewing, signIn, type Reviewing } from './support/reviewer.ts';
import {
  CONNECTION_LOST,
  DESKTOP,
  expect,
  expectTakenOver,
  MORE,
  open,
  PHONE,
  test as base,
} from './support/test.ts';

const test = base.extend<Reviewing>(reviewing());
test.use({ env: { RATE_LIMITS: 'off' } });

/** A registration that waits for review, created through the public API. */
async function waiting(
  url: string,
  name: string,
  cashConfirm?: string,
): Promise<{ name: string; note: string }> {
  const post = async (body: object) => {
    const answer = await fetch(`${url}/api/registry/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return (await answer.json()) as { id: string; paymentNote: string };
  };
  const { id, paymentNote } = await post({
    action: 'start',
    name,
    nodeId: `node_${name}`,
    kinds: ['node'],
  });
  await post({ action: 'confirm', id, ...(cashConfirm !== undefined && { cashConfirm }) });
  return { name, note: paymentNote };
}

/** An export of the payment app with these rows. */
const exportOf = (...rows: { id: string; note: string; day?: string; amount?: string }[]) =>
  [
    exportFor([]).split('\n')[0],
    ...rows.map(
      ({ id, note, day = '2026-11-21', amount = '$5.00' }) =>
        `${id},${day} 14:00:00 UTC,P2P,USD,${amount},,,,,,COMPLETE,${note},Zed,`,
    ),
  ].join('\n');

async function upload(page: Page, text: string, name = 'cash_app_report.csv'): Promise<void> {
  const file = { name, mimeType: 'text/csv', buffer: Buffer.from(text) };
  await page.getByLabel('CSV file').setInputFiles(file);
  await page.getByRole('button', { name: 'Import', exact: true }).click();
}

const tab = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Payments' }).getByRole('link', { name });
const checkbox = (page: Page, name: string) => page.getByRole('checkbox', { name });

test(
  'an export is imported, the paid registrations are accepted, and the registry lists them',
  { tag: DESKTOP },
  async ({ page, server, reviewer }) => {
    const rows = await Promise.all(
      ['garage', 'farm', 'attic'].map((name) => waiting(server.url, name)),
    );
    const note = (name: string) => rows.find((row) => row.name === name)?.note ?? '';
    await signIn(page, server, reviewer);
    await open(page, `${server.url}/review`);
    await page.getByRole('link', { name: 'Import payments' }).click();
    await expect(page).toHaveTitle('(3) Payments · Mesh Registry');
    await upload(page, exportFor(rows));
    await expect(page.getByRole('heading', { name: 'Payments imported' })).toBeFocused();
    await expect(page.getByRole('status').first()).toHaveText(
      '10 rows: 5 payments (5 new, 0 known), 2 outgoing, 1 not completed, 2 of another kind.',
    );

    await tab(page, 'Needs a look').click();
    const row = (name: string) => page.getByRole('row').filter({ hasText: note(name) });
    await expect(row('farm')).toContainText('amount differs');
    await expect(row('attic').first()).toContainText('two payments');
    await expect(row('garage')).toHaveCount(0);
    await page.getByRole('link', { name: 'unmatched 1' }).click();
    await expect(page.getByRole('table').getByRole('row')).toHaveCount(2);

    await tab(page, 'To accept 1').click();
    await page.getByRole('button', { name: 'Accept 1 registration' }).press('Enter');
    await expect(page.getByRole('region', { name: 'Results' }).getByRole('listitem')).toHaveText([
      /^garage accepted by ada, /,
    ]);
    await expect(page.getByRole('heading', { name: 'Results' })).toBeFocused();
    await expect(page.getByRole('heading', { name: 'Nothing to accept' })).toBeVisible();
    await expect(page).toHaveTitle('(2) Payments · Mesh Registry');
    await expect(page.getByRole('link', { name: 'Queue 2' })).toBeVisible();
    await page.goto(`${server.url}/registry`);
    await expect(page.getByRole('rowheader')).toHaveText(['garage node']);
  },
);

test(
  'registrations of a later import are ticked too, and what was unticked stays so',
  { tag: MORE },
  async ({ page, server, reviewer }) => {
    const [garage, shed, loft] = [
      await waiting(server.url, 'garage'),
      await waiting(server.url, 'shed'),
      await waiting(server.url, 'loft'),
    ];
    await signIn(page, server, reviewer);
    await open(page, `${server.url}/review/payments?tab=imports`);
    await upload(page, exportOf({ id: 'a', note: garage.note }, { id: 'b', note: shed.note }));
    await page.getByRole('link', { name: 'Review 2 to accept' }).click();
    const all = checkbox(page, 'Select all');
    await expect(all).toBeChecked();
    await checkbox(page, 'shed').uncheck();
    await expect(all).toBeChecked({ indeterminate: true });
    await expect(page.getByRole('button', { name: 'Accept 1 registration' })).toBeVisible();

    await tab(page, 'Imports').click();
    await upload(page, exportOf({ id: 'c', note: loft.note }));
    await expect(page.getByRole('status').first()).toHaveText('1 row: 1 payment (1 new, 0 known).');
    await tab(page, 'To accept 3').click();
    await expect(checkbox(page, 'garage')).toBeChecked();
    await expect(checkbox(page, 'loft')).toBeChecked();
    await expect(checkbox(page, 'shed')).not.toBeChecked();
    await expect(all).toBeChecked({ indeterminate: true });
    await all.click();
    await expect(all).toBeChecked();
    await expect(checkbox(page, 'shed')).toBeChecked();
    await all.click();
    await expect(all).not.toBeChecked();
    await expect(page.getByRole('button', { name: 'Accept 0 registrations' })).toBeDisabled();

    await checkbox(page, 'garage').check();
    await checkbox(page, 'loft').check();
    await page.getByRole('button', { name: 'Accept 2 registrations' }).press('Enter');
    await expect(page.getByRole('region', { name: 'Results' }).getByRole('listitem')).toHaveText([
      /^garage accepted by ada, /,
      /^loft accepted by ada, /,
    ]);
    // The focus has left the button: a second Enter accepts nothing else.
    await expect(page.getByRole('heading', { name: 'Results' })).toBeFocused();
    await expect(checkbox(page, 'shed')).not.toBeChecked();
  },
);

test(
  'a registration that a background refresh adds is not ticked: a click meant for the others would accept it unseen',
  { tag: [DESKTOP, MORE] },
  async ({ page, context, server, reviewer, allowed }) => {
    allowed.push(CONNECTION_LOST);
    const [garage, shed] = [await waiting(server.url, 'garage'), await waiting(server.url, 'shed')];
    await signIn(page, server, reviewer);
    const importElsewhere = (text: string) =>
      fetch(`${server.url}/api/trpc/review.payments.import`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          cookie: reviewer.cookie,
          origin: server.url,
        },
        body: JSON.stringify({ text }),
      });
    await importElsewhere(exportOf({ id: 'a', note: garage.note }));
    await open(page, `${server.url}/review/payments`);
    await expect(checkbox(page, 'garage')).toBeChecked();

    await context.setOffline(true);
    await tab(page, 'To accept 1').click();
    await expect(page.getByText('The service isn’t answering.')).toBeVisible();
    expect((await importElsewhere(exportOf({ id: 'b', note: shed.note }))).status).toBe(200);
    await context.setOffline(false);
    await expect(checkbox(page, 'shed')).toBeVisible();
    await expect(checkbox(page, 'shed')).not.toBeChecked();
    await expect(checkbox(page, 'garage')).toBeChecked();
    await expect(checkbox(page, 'Select all')).toBeChecked({ indeterminate: true });
    await expect(page.getByRole('button', { name: 'Accept 1 registration' })).toBeVisible();
  },
);

test(
  'the import report lists skipped rows with line, reason, date and amount',
  { tag: MORE },
  async ({ page, server, reviewer }) => {
    await signIn(page, server, reviewer);
    await open(page, `${server.url}/review/payments`);
    await upload(
      page,
      exportOf(
        { id: 'a', note: 'thanks' },
        { id: 'b', note: 'rent', amount: '-$120.00' },
        { id: 'c', note: 'lunch', amount: 'nine' },
      ),
    );
    const skipped = page.getByRole('table', { name: 'Skipped rows' });
    // Open by itself, because a row could not be read.
    await expect(skipped.getByRole('row').filter({ hasText: 'outgoing payment' })).toHaveText(
      '3outgoing payment2026-11-21 14:00:00 UTC · -$120.00',
    );
    await expect(skipped.getByRole('row').filter({ hasText: 'no valid amount' })).toHaveText(
      /^4has no valid amount/,
    );
    await page.getByText('Skipped rows: 2').click();
    await expect(skipped).toBeHidden();
  },
);

test(
  'payments dated in the future and duplicate confirmation texts are flagged and left out',
  { tag: MORE },
  async ({ page, server, reviewer }) => {
    const early = await waiting(server.url, 'early');
    const twin = await waiting(server.url, 'twin-1', '#T-100');
    const other = await waiting(server.url, 'twin-2', 't100');
    await signIn(page, server, reviewer);
    await open(page, `${server.url}/review/payments?tab=imports`);
    await upload(
      page,
      exportOf({ id: 'a', note: early.note, day: '2099-01-01' }, { id: 'b', note: twin.note }),
    );
    await expect(page.getByRole('heading', { name: 'Payments imported' })).toBeFocused();
    await tab(page, 'To accept 0').click();
    await expect(page.getByRole('heading', { name: 'Nothing to accept' })).toBeVisible();
    const leftOut = page.getByRole('region', { name: 'Left out: 2' });
    await expect(leftOut.getByRole('row', { name: 'early' })).toContainText('dated in the future');
    await expect(leftOut.getByRole('row', { name: 'twin-1' })).toContainText(
      'the same confirmation text',
    );

    await tab(page, 'Needs a look 2').click();
    const payment = (note: string) => page.getByRole('row').filter({ hasText: note });
    await expect(payment(early.note)).toContainText('dated in the future');
    await expect(payment(twin.note)).toContainText('duplicate confirmation text');

    await page.goto(`${server.url}/review`);
    for (const { note } of [twin, other]) await expect(payment(note)).toContainText('1 warning');
    const sameText = 'Other registrations with this confirmation text';
    await page.goto(`${server.url}/review?open=${early.note}`);
    await expect(page.getByRole('heading', { name: 'early' })).toBeVisible();
    await expect(page.getByText(sameText)).toHaveCount(0);
    await page.goto(`${server.url}/review/registrations/${twin.note}`);
    await expect(page.getByText(sameText)).toBeVisible();
    await expect(page.getByRole('link', { name: 'twin-2' })).toBeVisible();
  },
);

test(
  'a bank’s export is mapped by its columns, and a mistake is pointed out',
  { tag: DESKTOP },
  async ({ page, server, reviewer, allowed }) => {
    // The browser reports the refused mapping.
    allowed.push(/status of 400/);
    const loft = await waiting(server.url, 'loft');
    await signIn(page, server, reviewer);
    await open(page, `${server.url}/review/payments`);
    await upload(
      page,
      [
        'Buchungstag;Wer;Verwendungszweck;Betrag;Saldo',
        `21.11.2026;"Quux; Zoë";"${loft.note}";"5,00";"1.005,00"`,
        '20.11.2026;Hosting;Miete;-120,00;1.000,00',
      ].join('\r\n'),
      'umsaetze.csv',
    );
    // Keyboard and screen reader continue at the result.
    await expect(page.getByRole('heading', { name: 'Choose columns' })).toBeFocused();
    await page.getByLabel('Date', { exact: true }).selectOption('Buchungstag');
    await page.getByLabel('Amount', { exact: true }).selectOption('Saldo');
    await page.getByLabel(/^Note/).selectOption('Wer');
    await page.getByLabel('Date format').selectOption('year-month-day: 2026-11-20');
    await page.getByRole('button', { name: 'Import with these columns' }).click();
    await expect(page.getByRole('alert')).toContainText(
      'No row can be read with these columns. Line 2 ',
    );
    await page.getByLabel('Amount', { exact: true }).selectOption('Betrag');
    await page.getByLabel(/^Note/).selectOption('Verwendungszweck');
    await page.getByLabel('Date format').selectOption('day.month.year: 20.11.2026');
    await page.getByRole('button', { name: 'Import with these columns' }).click();
    await expect(page.getByRole('status').first()).toHaveText(
      '2 rows: 1 payment (1 new, 0 known), 1 outgoing.',
    );
    await expect(page.getByRole('heading', { name: 'Payments imported' })).toBeFocused();
  },
);

test(
  'the tabs work with Back and after a reload',
  { tag: PHONE },
  async ({ page, server, reviewer }) => {
    await signIn(page, server, reviewer);
    await open(page, `${server.url}/review/payments`);
    // Without payments the page opens the imports.
    await expect(tab(page, 'Imports')).toHaveAttribute('aria-current', 'page');
    await tab(page, 'To accept').click();
    await expect(page.getByRole('heading', { name: 'Nothing to accept' })).toBeVisible();
    await tab(page, 'Needs a look').click();
    const nothing = page.getByRole('heading', { name: 'Nothing needs a look' });
    await expect(nothing).toBeVisible();
    await page.reload();
    await expectTakenOver(page);
    await expect(nothing).toBeVisible();
    await page.goBack();
    await expect(page.getByRole('heading', { name: 'Nothing to accept' })).toBeVisible();
  },
);

test.describe('without scripts', () => {
  test.use({ javaScriptEnabled: false });

  test(
    'an export is imported and accepted',
    { tag: [DESKTOP, MORE] },
    async ({ page, server, reviewer, allowed }) => {
      // The browser reports the refused file.
      allowed.push(/status of 400/);
      const garage = await waiting(server.url, 'garage');
      const shed = await waiting(server.url, 'shed');
      await signIn(page, server, reviewer);
      await page.goto(`${server.url}/review/payments`);
      await upload(page, 'this is no table');
      await expect(page.getByText('This has no header row')).toBeVisible();
      await upload(page, exportOf({ id: 'a', note: garage.note }, { id: 'b', note: shed.note }));
      await expect(page.getByText('2 rows: 2 payments (2 new, 0 known).')).toBeVisible();
      await tab(page, 'To accept 2').click();
      await expect(page.getByRole('checkbox')).toHaveCount(2);
      await checkbox(page, 'shed').uncheck();
      await page.getByRole('button', { name: 'Accept ticked registrations' }).click();
      await expect(page.getByRole('region', { name: 'Results' }).getByRole('listitem')).toHaveText([
        /^garage accepted by ada, /,
      ]);
      await tab(page, 'Needs a look 0').click();
      await expect(page.getByRole('heading', { name: 'Nothing needs a look' })).toBeVisible();
    },
  );
});
