import { expect, test } from 'vitest';
import { activeName, aStart, describeContract, getJson, postJson, type Json } from './contract.ts';
import { reject, revoke } from '../support/decisions.ts';

const PATH = '/api/registry/register';
const HOUR = 3_600_000;
const ADA = 'ada';

describeContract(
  'the record of a registration',
  { env: { PUBLIC_URL: 'https://mesh.example.org' } },
  ({ server, clock }) => {
    const start = (fields = {}): Promise<Json> => postJson(server, PATH, aStart(fields), 201);
    const confirm = (id: string, fields = {}): Promise<Json> =>
      postJson(server, PATH, { action: 'confirm', id, ...fields }, 200);
    const cancel = (id: string): Promise<Json> =>
      postJson(server, PATH, { action: 'cancel', id }, 200);
    const read = (id: string): Promise<Json> => getJson(server, `${PATH}?id=${id}`);

    test('names its page below PUBLIC_URL, in every answer', async () => {
      const { id, pageUrl } = await start();
      expect(pageUrl).toBe(`https://mesh.example.org/register/${id}`);
      const answers = [await confirm(id), await read(id), await cancel(id)];
      expect(answers.map((answer) => answer.pageUrl)).toEqual([pageUrl, pageUrl, pageUrl]);
    });

    test('says who ended it, and of one that has not ended that nobody did', async () => {
      const { services } = server;
      const open = await start();
      expect(open.endedBy).toBeNull();
      expect(await cancel(open.id)).toMatchObject({ status: 'rejected', endedBy: 'operator' });

      const unpaid = await start();
      clock.advance(48 * HOUR);
      expect(await read(unpaid.id)).toMatchObject({ status: 'rejected', endedBy: 'expiry' });
      // Reported late, it has not ended after all.
      expect(await confirm(unpaid.id)).toMatchObject({ endedBy: null });

      const rejected = { id: unpaid.id, reviewer: ADA, reason: 'no payment' };
      await reject(services, rejected);
      expect(await read(unpaid.id)).toMatchObject({ status: 'rejected', endedBy: 'reviewer' });

      const { id, paymentNote } = await activeName(server);
      expect(await read(id)).toMatchObject({ status: 'active', endedBy: null });
      await revoke(services, { id, reviewer: ADA, reason: 'a test' });
      expect(await read(id)).toMatchObject({ status: 'rejected', endedBy: 'reviewer' });
      await services.review.undo({ note: paymentNote, reviewer: ADA });
      expect(await read(id)).toMatchObject({ status: 'active', endedBy: null });
      expect(await cancel(id)).toMatchObject({ status: 'rejected', endedBy: 'operator' });
    });

    test('says whether a confirmation text was sent, and never gives it back', async () => {
      const { id, cashConfirmGiven } = await start();
      expect(cashConfirmGiven).toBe(false);
      expect((await confirm(id)).cashConfirmGiven).toBe(false);
      expect((await confirm(id, { cashConfirm: ' \u200b ' })).cashConfirmGiven).toBe(false);
      const given = await confirm(id, { cashConfirm: '#D-7Q2M41' });
      expect(given.cashConfirmGiven).toBe(true);
      expect(JSON.stringify([given, await read(id)])).not.toContain('7Q2M41');
    });
  },
);
