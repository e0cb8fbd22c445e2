import { exportFor } from '../test/review/exports.ts';
import { reviewing, signIn, type Reviewing } from './support/reviewer.ts';
import { DESKTOP, expect, test as base } from './support/test.ts';

const test = base.extend<Reviewing>(reviewing());
test.use({ env: { RATE_LIMITS: 'off' } });

/** A registration that waits for review, by the public API. */
async function waiting(url: string, name: string): Promise<{ name: string; note: string }> {
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
  await post({ action: 'confirm', id });
  return { name, note: paymentNote };
}

test(
  'an export is uploaded, what is paid is accepted together after a look, and the registry lists it; then a bank’s file',
  {
    tag: DESKTOP,
  },
  async ({ page, server, reviewer, allowed }) => {
    // What the browser says of the columns that do not fit.
    allowed.push(/status of 400/);
    const rows = await Promise.all(
      ['garage', 'farm', 'attic', 'loft', 'shed'].map((name) => waiting(server.url, name)),
    );
    const note = (name: string) => rows.find((row) => row.name === name)?.note ?? '';
    await signIn(page, server, reviewer);
    await page.goto(`${server.url}/review/payments`);
    await expect(page).toHaveTitle('(5) Payments · Mesh Registry');
    const upload = async (name: string, text: string) => {
      const file = { name, mimeType: 'text/csv', buffer: Buffer.from(text) };
      await page.getByLabel('CSV file').setInputFiles(file);
      await page.getByRole('button', { name: 'Import' }).click();
    };
    await upload('cash_app_report.csv', exportFor(rows));
    await expect(page.getByRole('status').first()).toHaveText(
      '10 rows: 5 payments (5 new, 0 known), 2 outgoing, 1 not completed, 2 of another kind.',
    );
    const row = (name: string) => page.getByRole('row').filter({ hasText: note(name) });
    await expect(row('garage')).toContainText('payment found');
    await expect(row('farm')).toContainText('amount differs');
    await expect(row('attic').first()).toContainText('two payments');
    await page.getByRole('link', { name: 'unmatched 1' }).click();
    await expect(page.getByRole('table').getByRole('row')).toHaveCount(2);

    // A bank's file: it is said where its columns are, and the mistake is pointed out.
    await upload(
      'umsaetze.csv',
      [
        'Buchungstag;Wer;Verwendungszweck;Betrag;Saldo',
        `21.11.2026;"Quux; Zoë";"${note('loft')}";"5,00";"1.005,00"`,
        `21.11.2026;Xiang Qu;danke ${note('shed').toLowerCase()};5,00;1.010,00`,
        '20.11.2026;Hosting;Miete;-120,00;1.000,00',
      ].join('\r\n'),
    );
    // Keyboard and screen reader go on where the answer is.
    await expect(page.getByRole('heading', { name: 'Where are the columns?' })).toBeFocused();
    await page.getByLabel('Date', { exact: true }).selectOption('Buchungstag');
    await page.getByLabel('Amount', { exact: true }).selectOption('Saldo');
    await page.getByLabel(/^Note/).selectOption('Wer');
    await page.getByLabel('Dates are written').selectOption('year-month-day: 2026-11-20');
    await page.getByRole('button', { name: 'Import these columns' }).click();
    await expect(page.getByRole('alert')).toContainText(
      'No row can be read with these columns. Line 2:',
    );
    await page.getByLabel('Amount', { exact: true }).selectOption('Betrag');
    await page.getByLabel(/^Note/).selectOption('Verwendungszweck');
    await page.getByLabel('Dates are written').selectOption('day.month.year: 20.11.2026');
    await page.getByRole('button', { name: 'Import these columns' }).click();
    await expect(page.getByRole('status').first()).toHaveText(
      '3 rows: 2 payments (2 new, 0 known), 1 outgoing.',
    );
    await expect(page.getByRole('heading', { name: 'Imported' })).toBeFocused();

    // What came while the page was open is looked at first.
    const chosen = (name: RegExp) => page.getByRole('checkbox', { name });
    await expect(chosen(/garage/)).toBeChecked();
    await expect(chosen(/loft/)).not.toBeChecked();
    await expect(page.getByRole('button', { name: 'Accept 1 registration' })).toBeVisible();
    await chosen(/Select all/).check();
    await chosen(/shed/).uncheck();
    await page.getByRole('button', { name: 'Accept 2 registrations' }).press('Enter');
    const outcomes = page.getByRole('region', { name: 'Results' });
    await expect(outcomes.getByRole('listitem')).toHaveText([
      /^garage accepted by ada, /,
      /^loft accepted by ada, /,
    ]);
    // A second Enter would otherwise accept what came up meanwhile.
    await expect(page.getByRole('heading', { name: 'Results' })).toBeFocused();
    await expect(chosen(/shed/)).not.toBeChecked();
    await expect(page).toHaveTitle('(3) Payments · Mesh Registry');
    await expect(page.getByRole('link', { name: 'Queue 3' })).toBeVisible();
    await page.goto(`${server.url}/registry`);
    await expect(page.getByRole('rowheader')).toHaveText(['garage', 'loft']);
  },
);
