import { PASSWORD } from '../test/support/reviewer.ts';
import { reviewing, type Reviewing } from './support/reviewer.ts';
import { test as base } from './support/fake-clock.ts';
import { CONNECTION_LOST, DESKTOP, expect, MORE, open } from './support/test.ts';

const test = base.extend<Reviewing>(reviewing());

test(
  'a typed reason stays while the service is unreachable and when the session has ended, and is sent once',
  { tag: [DESKTOP, MORE] },
  async ({ page, context, server, clock, reviewer, allowed }) => {
    allowed.push(CONNECTION_LOST, /status of 401/);
    const register = async (body: object) =>
      (await (
        await fetch(`${server.url}/api/registry/register`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        })
      ).json()) as { id: string; paymentNote: string };
    const paid = async (name: string) => {
      // The queue lists the one that has waited longest first.
      clock.advance(1000);
      const made = await register({
        action: 'start',
        name,
        nodeId: `node_${name}`,
        kinds: ['node'],
      });
      await register({ action: 'confirm', id: made.id });
      return made;
    };
    const [garage, attic] = [await paid('garage'), await paid('attic')];
    const reason = page.getByLabel('Reason shown to the operator');
    const reject = (name: string) => page.getByRole('button', { name: `Reject ${name}` });
    const problem = page.getByRole('alert');
    const undoable = page.getByRole('list', { name: 'Decisions that can be undone' });

    // Signing in while offline.
    await open(page, `${server.url}/review/sign-in?next=/review?open=${garage.paymentNote}`);
    await page.getByLabel('Email address').fill(reviewer.email);
    await page.getByLabel('Password').fill(PASSWORD);
    const send = page.getByRole('button', { name: 'Sign in' });
    await context.setOffline(true);
    await send.click();
    await expect(problem).toHaveText('The service didn’t answer. Send it again.');
    await context.setOffline(false);
    await expect(page.getByLabel('Email address')).toHaveValue(reviewer.email);
    await expect(page.getByLabel('Password')).toHaveValue(PASSWORD);
    await send.click();

    await expect(page.getByRole('banner')).toContainText('Live');
    await page.keyboard.press('r');
    await reason.fill('Nothing came in.');
    await context.setOffline(true);
    await reject('garage').click();
    await expect(problem).toContainText('We don’t know yet whether it was done');
    await expect(reason).toHaveValue('Nothing came in.');
    await context.setOffline(false);
    // Once the service answers again, the page knows.
    await expect(problem).toContainText('your form was not processed');
    await expect(reason).toHaveValue('Nothing came in.');
    await reject('garage').click();
    await expect(undoable).toContainText('garage rejected');

    // The next one is open. The session ends, as when an administrator ends it.
    await expect(page.getByRole('heading', { name: 'attic' })).toBeFocused();
    await page.keyboard.press('r');
    await reason.fill('Asked for.');
    await context.clearCookies();
    await reject('attic').click();
    await expect(problem).toContainText('Your session has ended. Nothing was changed.');
    await expect(reason).toHaveValue('Asked for.');
    const opened = page.waitForEvent('popup');
    await problem.getByRole('link', { name: 'Sign in again' }).click();
    const other = await opened;
    await other.getByLabel('Email address').fill(reviewer.email);
    await other.getByLabel('Password').fill(PASSWORD);
    await other.getByRole('button', { name: 'Sign in' }).click();
    await expect(other.getByRole('heading', { name: 'attic' })).toBeVisible();
    await other.close();
    await expect(reason).toHaveValue('Asked for.');
    await reject('attic').click();
    await expect(undoable).toContainText('attic rejected');

    // A file from another app is only in the form, along with the chosen columns.
    await open(page, `${server.url}/review/payments?tab=imports`);
    await page.getByLabel('CSV file').setInputFiles({
      name: 'bank.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from('Day,Money,Text\n2026-11-20,5.00,hello\n'),
    });
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByLabel('Date', { exact: true }).selectOption('Day');
    await page.getByLabel('Amount', { exact: true }).selectOption('Money');
    await page.getByLabel('Note: what the payer wrote').selectOption('Text');
    await page.getByLabel('Date format').selectOption('ymd');
    await context.setOffline(true);
    await page.getByRole('button', { name: 'Import with these columns' }).click();
    await expect(problem).toContainText('We don’t know yet whether it was done');
    await context.setOffline(false);
    await page.getByRole('button', { name: 'Import with these columns' }).click();
    await expect(page.getByText('1 row: 1 payment (1 new, 0 known).')).toBeVisible();

    for (const [{ paymentNote }, why] of [
      [garage, 'Nothing came in.'],
      [attic, 'Asked for.'],
    ] as const) {
      await page.goto(`${server.url}/review/registrations/${paymentNote}`);
      await expect(page.getByText(`“${why}”`)).toHaveCount(1);
      await expect(page.getByText(/^rejected by ada@/i)).toHaveCount(1);
    }
  },
);
