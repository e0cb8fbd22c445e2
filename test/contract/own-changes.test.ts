import { describe, expect, test } from 'vitest';
import {
  aPing,
  aStart,
  activeName,
  describeContract,
  expectError,
  freshId,
  getJson,
  postJson,
  type Json,
} from './contract.ts';
import { accept, reject, statusChanges } from '../support/decisions.ts';

const PATH = '/api/registry/register';

describeContract('what operators take back or correct', {}, ({ server }) => {
  const start = (fields: Json = {}): Promise<Json> => postJson(server, PATH, aStart(fields), 201);
  const confirm = (id: string): Promise<Json> =>
    postJson(server, PATH, { action: 'confirm', id }, 200);
  const cancel = (id: string): Promise<Json> =>
    postJson(server, PATH, { action: 'cancel', id }, 200);
  const isFree = async (name: string) =>
    (await getJson(server, `${PATH}?name=${name}`)).available as boolean;
  const changes = async (id: string) =>
    (await statusChanges(server.services, id)).map(({ fromStatus, toStatus, actor, reason }) => [
      fromStatus,
      toStatus,
      actor,
      reason,
    ]);

  describe('POST cancel', () => {
    test.each(['pending_payment', 'pending_review'])(
      'ends a registration in %s',
      async (status) => {
        const { id, name } = await start();
        if (status === 'pending_review') await confirm(id);
        const cancelled = await cancel(id);
        expect(cancelled).toMatchObject({
          id,
          name,
          status: 'rejected',
          rejectionReason: 'cancelled by its operator',
        });
        expect(await isFree(name)).toBe(true);
        expect((await changes(id)).at(-1)).toEqual([
          status,
          'rejected',
          'operator',
          'cancelled by its operator',
        ]);
        // Again: the same, and no second entry in the history.
        const entries = (await changes(id)).length;
        expect(await cancel(id)).toEqual(cancelled);
        expect(await changes(id)).toHaveLength(entries);
        await start({ name });
      },
    );

    test('releases an active name: it leaves every list at once', async () => {
      const { id, name } = await activeName(server, {});
      expect(await cancel(id)).toMatchObject({ status: 'rejected' });
      const { entries } = await getJson(server, '/api/registry');
      expect(entries.map((entry: Json) => entry.name)).not.toContain(name);
      expect(await isFree(name)).toBe(true);
    });

    test('does not turn a reviewer’s rejection into a cancellation, and cannot be confirmed away', async () => {
      const rejected = await start();
      await reject(server.services, {
        id: rejected.id,
        reviewer: 'ada',
        reason: 'no payment found',
      });
      expect(await cancel(rejected.id)).toMatchObject({ rejectionReason: 'no payment found' });
      const { id } = await start();
      await cancel(id);
      const error = await expectError(
        server,
        await server.post(PATH, { action: 'confirm', id }),
        409,
        'invalid_state',
      );
      expect(error.error).toContain('cancelled by its operator');
    });

    test('of a cancellation and an acceptance at once, one history results', async () => {
      const { id, name } = await start();
      await confirm(id);
      await Promise.allSettled([accept(server.services, { id, reviewer: 'ada' }), cancel(id)]);
      // Accepted first, the name was released after it; cancelled first, it could not be accepted.
      expect((await getJson(server, `${PATH}?id=${id}`)).status).toBe('rejected');
      expect(await isFree(name)).toBe(true);
      expect([3, 4]).toContain((await changes(id)).length);
    });

    test('an id that is none is not found', async () => {
      for (const id of [`reg_${'x'.repeat(24)}`, 'x'])
        await expectError(
          server,
          await server.post(PATH, { action: 'cancel', id }),
          404,
          'not_found',
        );
      await expectError(
        server,
        await server.post(PATH, { action: 'cancel' }),
        400,
        'invalid_body',
        ['id'],
      );
    });
  });

  describe('POST start without label, class and region', () => {
    test('takes what the node’s heartbeats say', async () => {
      const nodeId = freshId();
      const node = { nodeId, label: 'Barn', class: 'L', region: 'EU' };
      await postJson(server, '/api/mesh/ping', aPing(node), 201);
      expect(await start({ nodeId })).toMatchObject({ label: 'Barn', class: 'L', region: 'EU' });
      expect(await start({ nodeId, label: 'Cellar', region: 'NA' })).toMatchObject({
        label: 'Cellar',
        class: 'L',
        region: 'NA',
      });
    });

    test('takes the region of the place of a node that says none of them, and the defaults', async () => {
      const nodeId = freshId();
      await postJson(server, '/api/mesh/ping', aPing({ nodeId }), 201);
      const { name, ...started } = await start({ nodeId });
      expect(started).toMatchObject({ label: name, class: 'S', region: 'NA' });
    });

    test('takes the defaults for a node that was never heard', async () => {
      const { name, ...started } = await start();
      expect(started).toMatchObject({ label: name, class: 'S', region: 'ZZ' });
    });

    test('in the typed API too, also where a form sends an empty text', async () => {
      const nodeId = freshId();
      const node = { nodeId, label: 'Barn', class: 'L', region: 'EU' };
      await postJson(server, '/api/mesh/ping', aPing(node), 201);
      const typed = async (fields: Json) => {
        const body = { name: freshId('name'), nodeId, kinds: ['node'], ...fields };
        return (await postJson(server, '/api/trpc/registry.start', body, 200)).result.data;
      };
      for (const fields of [{}, { class: '', region: '' }])
        expect(await typed(fields)).toMatchObject({ label: 'Barn', class: 'L', region: 'EU' });
      expect(await typed({ region: 'ZZ' })).toMatchObject({ region: 'ZZ' });
    });
  });

  describe('details', () => {
    const correct = (id: string, details: Json) =>
      server.post('/api/trpc/registry.correctDetails', { id, ...details });

    test('can be corrected until a reviewer has decided, and the history says what', async () => {
      const { id, name } = await start({ label: 'Bran', class: 'S', region: 'EU' });
      expect((await correct(id, { label: 'Barn', class: 'S', region: 'EU' })).status).toBe(200);
      await confirm(id);
      await correct(id, { label: '', class: 'M', region: 'NA' });
      expect(await getJson(server, `${PATH}?id=${id}`)).toMatchObject({
        label: name,
        class: 'M',
        region: 'NA',
        status: 'pending_review',
      });
      expect(await changes(id)).toEqual([
        [null, 'pending_payment', 'operator', null],
        ['pending_payment', 'pending_payment', 'operator', 'label Bran → Barn'],
        ['pending_payment', 'pending_review', 'operator', null],
        [
          'pending_review',
          'pending_review',
          'operator',
          `label Barn → ${name}, class S → M, region EU → NA`,
        ],
      ]);
      await accept(server.services, { id, reviewer: 'ada' });
      expect((await correct(id, { label: 'Attic', class: 'M', region: 'NA' })).status).toBe(409);
      expect((await getJson(server, '/api/registry')).entries).toContainEqual(
        expect.objectContaining({ name, label: name, class: 'M', region: 'NA' }),
      );
    });

    test('that stay the same change nothing', async () => {
      const started = await start({ label: 'Barn', class: 'S', region: 'EU' });
      await correct(started.id, { label: 'Barn', class: 'S', region: 'EU' });
      expect(await getJson(server, `${PATH}?id=${started.id}`)).toEqual(started);
    });

    test('an address is no label, and an unknown region none', async () => {
      const { id } = await start();
      const wrong = await correct(id, { label: 'x', class: 'S', region: '203.0.113.7' });
      expect(wrong.status).toBe(400);
      expect(await getJson(server, `${PATH}?id=${id}`)).toMatchObject({ region: 'ZZ' });
    });
  });
});
