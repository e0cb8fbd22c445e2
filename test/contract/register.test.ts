import { describe, expect, test } from 'vitest';
import {
  aStart,
  activeName,
  describeContract,
  eventually,
  expectError,
  freshId,
  getJson,
  postJson,
  type Json,
} from './contract.ts';
import { accept, reject, revoke, statusChanges } from '../support/decisions.ts';

const PATH = '/api/registry/register';
const HOUR = 3_600_000;

describeContract('/api/registry/register', {}, ({ server, clock }) => {
  describe('GET', () => {
    const isFree = (name: string): Promise<Json> =>
      getJson(server, `${PATH}?name=${encodeURIComponent(name)}`);

    test('without a parameter: fee, payee, rules, and the active names, newest first', async () => {
      expect(await getJson(server, PATH)).toEqual({
        ok: true,
        feeUsd: 5,
        cashtag: '$MeshDemo',
        payment: {
          method: 'cash_app',
          cashtag: '$MeshDemo',
          feeUsd: 5,
          currency: 'USD',
          noteFormat: expect.stringContaining('MESH-'),
          instructions: expect.arrayContaining([expect.stringContaining('$MeshDemo')]),
        },
        rules: {
          name: { pattern: expect.any(String), minLength: 2, maxLength: 32 },
          kinds: ['node', 'compute'],
          classes: ['S', 'M', 'L'],
          holdHours: 48,
        },
        directory: [],
        counts: { active: 0, pending: 0 },
      });
    });

    test('its pattern is the one that names must match', async () => {
      const { rules } = await getJson(server, PATH);
      const pattern = new RegExp(rules.name.pattern);
      for (const name of ['ab', 'a-b_9', 'x'.repeat(32)])
        expect([name, pattern.test(name), (await isFree(name)).available]).toEqual([
          name,
          true,
          true,
        ]);
      for (const name of ['a', '-ab', 'ab_', 'x'.repeat(33), 'a b', 'a.b'])
        expect([name, pattern.test(name), (await isFree(name)).reason]).toEqual([
          name,
          false,
          'invalid',
        ]);
    });

    test('directory and counts follow every step', async () => {
      const before = (await getJson(server, PATH)).counts;
      const counts = async () => {
        const { counts, directory } = await getJson(server, PATH);
        expect(directory).toHaveLength(counts.active);
        return [counts.active - before.active, counts.pending - before.pending];
      };
      const a = await postJson(
        server,
        PATH,
        aStart({ label: 'First', class: 'M', region: 'EU' }),
        201,
      );
      const b = await postJson(server, PATH, aStart({ kinds: ['node'] }), 201);
      expect(await counts()).toEqual([0, 2]);
      await postJson(server, PATH, { action: 'confirm', id: a.id }, 200);
      await postJson(server, PATH, { action: 'confirm', id: b.id }, 200);
      expect(await counts()).toEqual([0, 2]);
      await accept(server.services, { id: a.id, reviewer: 'ada' });
      const activatedAt = clock.iso();
      clock.advance(1000);
      await accept(server.services, { id: b.id, reviewer: 'ada' });
      expect(await counts()).toEqual([2, 0]);
      const { directory } = await getJson(server, PATH);
      expect(directory.slice(0, 2)).toEqual([
        {
          name: b.name,
          label: b.name,
          class: 'S',
          region: 'ZZ',
          kinds: ['node'],
          activatedAt: clock.iso(),
        },
        {
          name: a.name,
          label: 'First',
          class: 'M',
          region: 'EU',
          kinds: ['node', 'compute'],
          activatedAt,
        },
      ]);
      await revoke(server.services, { id: a.id, reviewer: 'ada', reason: 'a test' });
      expect(await counts()).toEqual([1, 0]);
    });

    describe('name', () => {
      test('available, taken, reserved or invalid, with the name as it would be registered', async () => {
        const name = freshId('name');
        expect(await isFree(name.toUpperCase())).toEqual({
          ok: true,
          name,
          available: true,
          reason: null,
          message: expect.stringContaining(name),
        });
        await postJson(server, PATH, aStart({ name }), 201);
        for (const asked of [name, name.toUpperCase()])
          expect(await isFree(asked)).toMatchObject({ name, available: false, reason: 'taken' });
        expect(await isFree('GENESIS')).toMatchObject({
          name: 'genesis',
          available: false,
          reason: 'reserved',
        });
        for (const invalid of [
          '',
          'a',
          '-a',
          'a b',
          'ä',
          'x'.repeat(33),
          '<b>',
          ' garage ',
          '\u212Aim',
        ])
          expect(await isFree(invalid)).toMatchObject({ available: false, reason: 'invalid' });
      });

      test('start accepts exactly the names that it calls available', async () => {
        const taken = freshId('name');
        await postJson(server, PATH, aStart({ name: taken }), 201);
        for (const name of [
          freshId('name'),
          freshId('NAME').toUpperCase(),
          taken,
          taken.toUpperCase(),
          'genesis',
          'Admin',
          'a',
          '-ab',
          ' spaced ',
          'a.b',
          '\u212Aelvin',
          '',
        ]) {
          const { available, reason, name: normalised } = await isFree(name);
          const started = await server.post(PATH, aStart({ name }));
          const body: Json = await started.json();
          expect({ name, status: started.status, code: body.code }).toEqual({
            name,
            status: available ? 201 : reason === 'invalid' ? 400 : 409,
            code: available
              ? undefined
              : { invalid: 'invalid_body', taken: 'name_taken', reserved: 'name_reserved' }[
                  reason as string
                ],
          });
          if (available) expect(body.name).toBe(normalised);
        }
      });

      test.each(
        'genesis admin api registry mesh register review status docs www root system'.split(' '),
      )('%s is reserved', async (name) => {
        expect(await isFree(name)).toMatchObject({ available: false, reason: 'reserved' });
        const refused = await server.post(PATH, aStart({ name }));
        expect(await refused.json()).toMatchObject({ ok: false, code: 'name_reserved' });
      });

      test('names of Object.prototype are names like any other', async () => {
        for (const name of ['constructor', 'tostring', 'valueof'])
          expect(await isFree(name)).toMatchObject({ available: true });
      });
    });

    describe('id', () => {
      test('the registration as start returned it', async () => {
        const started = await postJson(server, PATH, aStart(), 201);
        expect(await getJson(server, `${PATH}?id=${started.id}`)).toEqual(started);
        const { headers } = await server.get(`${PATH}?id=${started.id}`);
        expect(headers.get('cache-control')).toBe('private, no-cache');
      });

      test('404 for an unknown id', async () => {
        for (const id of [
          'reg_0000000000000000000000',
          'reg_',
          'x',
          '',
          '%00',
          "reg_'%20or%201=1",
          '__proto__',
        ])
          await expectError(server, await server.get(`${PATH}?id=${id}`), 404, 'not_found');
        const { id } = await postJson(server, PATH, aStart(), 201);
        const almost = id.slice(0, -1) + (id.endsWith('A') ? 'B' : 'A');
        for (const other of [almost, id.toLowerCase(), `${id}A`])
          if (other !== id)
            await expectError(server, await server.get(`${PATH}?id=${other}`), 404, 'not_found');
      });

      test('name and id together are refused', async () => {
        await expectError(server, await server.get(`${PATH}?name=a&id=b`), 400, 'invalid_query', [
          'id',
        ]);
        await expectError(server, await server.get(`${PATH}?name=&id=`), 400, 'invalid_query', [
          'id',
        ]);
      });
    });
  });

  describe('POST', () => {
    const start = (fields: Record<string, unknown> = {}, key?: string) =>
      server.post(
        PATH,
        aStart(fields),
        key === undefined ? {} : { headers: { 'idempotency-key': key } },
      );
    const started = async (fields: Record<string, unknown> = {}, key?: string): Promise<Json> => {
      const response = await start(fields, key);
      const body: Json = await response.json();
      expect({ status: response.status, code: body.code }).toEqual({ status: 201 });
      return body;
    };
    const confirm = (id: unknown, fields: Record<string, unknown> = {}) =>
      server.post(PATH, { action: 'confirm', id, ...fields });
    const confirmed = async (id: string, fields: Record<string, unknown> = {}): Promise<Json> => {
      const response = await confirm(id, fields);
      const body: Json = await response.json();
      expect({ status: response.status, code: body.code }).toEqual({ status: 200 });
      return body;
    };
    const look = (id: string): Promise<Json> => getJson(server, `${PATH}?id=${id}`);
    const refused = async (body: unknown, ...issues: string[]) =>
      expectError(server, await server.post(PATH, body), 400, 'invalid_body', issues);

    test.each([
      [{}],
      [{ action: null }],
      [{ action: 'Start' }],
      [{ action: 'begin' }],
      [{ action: 7 }],
    ])('an unknown action gets 400 that names the two: %j', async (body) => {
      const { error } = await refused({ ...aStart(), action: undefined, ...body }, 'action');
      expect(error).toMatch(/start/);
      expect(error).toMatch(/confirm/);
    });

    test('the error names a missing field', async () => {
      const sentence = async (body: unknown, ...fields: string[]) =>
        (await refused(body, ...fields)).error;
      expect(await sentence({}, 'action')).toBe(
        'action is required: start, confirm, cancel or answer.',
      );
      expect(await sentence({ action: 'start' }, 'name', 'nodeId', 'kinds')).toBe(
        'name, nodeId and kinds are required.',
      );
      expect(await sentence({ action: 'confirm' }, 'id')).toBe('id is required.');
      expect(await sentence({ ...aStart(), kinds: [] }, 'kinds')).toBe(
        'kinds must have node, compute or both.',
      );
    });

    describe('start', () => {
      test('201 with the flat record, and its defaults', async () => {
        const name = freshId('name');
        const nodeId = freshId();
        const body = await started({ name: name.toUpperCase(), nodeId, kinds: ['node'] });
        expect(body).toEqual({
          ok: true,
          id: expect.stringMatching(/^reg_[A-Za-z0-9_-]{22,}$/),
          name,
          label: name,
          class: 'S',
          region: 'ZZ',
          nodeId,
          kinds: ['node'],
          status: 'pending_payment',
          paymentNote: expect.stringMatching(/^MESH-/),
          feeUsd: 5,
          payUrl: `https://cash.app/$MeshDemo/5.00?note=${body.paymentNote}`,
          pageUrl: `${server.url}/register/${body.id}`,
          createdAt: clock.iso(),
          updatedAt: clock.iso(),
          expiresAt: clock.iso(48 * HOUR),
          rejectionReason: null,
          endedBy: null,
          cashConfirmGiven: false,
        });
      });

      test('keeps the values of the request', async () => {
        const given = {
          label: 'The (old) Garage',
          class: 'L',
          region: 'NA',
          kinds: ['compute', 'node'],
        };
        expect(await started(given)).toMatchObject({
          label: 'The (old) Garage',
          class: 'L',
          region: 'NA',
          kinds: ['compute', 'node'],
        });
      });

      test('name, nodeId and kinds are required', async () => {
        await refused({ action: 'start' }, 'name', 'nodeId', 'kinds');
        for (const field of ['name', 'nodeId', 'kinds'])
          await refused({ ...aStart(), [field]: undefined }, field);
      });

      test('kinds are one or both of node and compute, without repeats', async () => {
        for (const kinds of [['node'], ['compute'], ['node', 'compute'], ['compute', 'node']])
          expect((await started({ kinds })).kinds).toEqual(kinds);
        for (const kinds of [[], ['node', 'node'], ['node', 'compute', 'node'], 'node', null, {}])
          await refused(aStart({ kinds }), 'kinds');
        await refused(aStart({ kinds: ['node', 'Node'] }), 'kinds[1]');
        await refused(aStart({ kinds: [7] }), 'kinds[0]');
      });

      test('the other fields follow the rules of ping', async () => {
        for (const nodeId of ['a', 'x'.repeat(65), 'a b', null, 7])
          await refused(aStart({ nodeId }), 'nodeId');
        await expectError(server, await start({ nodeId: 'GENESIS' }), 400, 'reserved_node_id', [
          'nodeId',
        ]);
        for (const size of ['XL', null, 1]) await refused(aStart({ class: size }), 'class');
        for (const region of ['eu', '', 'X'.repeat(17), null])
          await refused(aStart({ region }), 'region');
        for (const label of [7, null, [], {}]) await refused(aStart({ label }), 'label');
        await refused(aStart({ label: 'x'.repeat(65) }), 'label');
        for (const name of ['a', 'x'.repeat(33), '-ab', 'a b', '', null, 7])
          await refused(aStart({ name }), 'name');
      });

      test('an empty label is left out, and one that cannot be published is refused', async () => {
        const body = await started({ label: ' ' });
        expect(body.label).toBe(body.name);
        await refused(aStart({ label: 'node.example.com' }), 'label');
      });

      test.each([
        [
          'node.example.com',
          'A label can’t be a hostname or an IP address. They are never published. Use a name people know.',
          undefined,
        ],
        ['<b>Villa', 'A label can’t contain HTML.', 'Villa'],
        ['Werkstatt: 3', "Use letters, digits, spaces and . _ - ' ( ) # & + ,", 'Werkstatt 3'],
      ])(
        'the label %s is refused with the reason, and what to use instead',
        async (label, why, use) => {
          const response = await start({ label });
          const { error, issues } = await response.json();
          expect(issues).toEqual([
            { path: 'label', message: why, ...(use !== undefined && { suggestion: use }) },
          ]);
          expect(error).toMatch(use === undefined ? /^A label .+[.]$/ : `Use “${use}” instead.`);
          if (use !== undefined)
            expect(await started({ label: use })).toMatchObject({ label: use });
        },
      );

      test('unknown keys are ignored, so nobody starts in another state', async () => {
        const body = await started({
          status: 'active',
          id: 'reg_mine',
          feeUsd: 0,
          paymentNote: 'mine',
          expiresAt: '2099-01-01T00:00:00.000Z',
          activatedAt: '2020-01-01T00:00:00.000Z',
        });
        expect(body).toMatchObject({ status: 'pending_payment', feeUsd: 5 });
        expect(body.id).not.toBe('reg_mine');
        expect(body.paymentNote).not.toBe('mine');
      });

      test('a name is reserved in any letter case', async () => {
        const name = freshId('name');
        await started({ name });
        for (const again of [name, name.toUpperCase()])
          await expectError(server, await start({ name: again }), 409, 'name_taken', ['name']);
      });

      test('a reserved name is refused in any letter case', async () => {
        for (const name of ['genesis', 'Admin', 'WWW'])
          await expectError(server, await start({ name }), 409, 'name_reserved', ['name']);
      });

      test('a name stays taken in every state except rejected', async () => {
        const name = freshId('name');
        const { id } = await started({ name });
        const taken = async () => (await start({ name })).status;
        expect(await taken()).toBe(409);
        await confirmed(id);
        expect(await taken()).toBe(409);
        await accept(server.services, { id, reviewer: 'ada' });
        expect(await taken()).toBe(409);
        await revoke(server.services, { id, reviewer: 'ada', reason: 'a test' });
        const next = await started({ name });
        await reject(server.services, { id: next.id, reviewer: 'ada', reason: 'a test' });
        await started({ name });
      });

      test('of 20 simultaneous starts for one name exactly one wins', async () => {
        const name = freshId('name');
        const answers = await Promise.all(
          Array.from({ length: 20 }, (_, n) => start({ name: n % 2 ? name : name.toUpperCase() })),
        );
        expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(19).fill(409)]);
        const bodies: Json[] = await Promise.all(answers.map((answer) => answer.json()));
        expect(bodies.filter(({ code }) => code === 'name_taken')).toHaveLength(19);
        const winner = bodies.find(({ ok }) => ok);
        expect((await look(winner.id)).status).toBe('pending_payment');
      });

      test('one node may hold several names', async () => {
        const nodeId = freshId();
        expect((await started({ nodeId })).id).not.toBe((await started({ nodeId })).id);
      });

      test('ids and notes are unique; ids can’t be guessed, and notes can be typed by hand', async () => {
        const bodies: Json[] = [];
        while (bodies.length < 40) bodies.push(await started());
        expect(new Set(bodies.map(({ id }) => id)).size).toBe(40);
        expect(new Set(bodies.map(({ paymentNote }) => paymentNote)).size).toBe(40);
        for (const { id, name, paymentNote } of bodies) {
          // 22 characters of base64url are 132 bits.
          expect(id.length).toBeGreaterThanOrEqual('reg_'.length + 22);
          const [prefix, suffix] = [paymentNote.slice(0, -7), paymentNote.slice(-6)];
          expect(prefix).toBe(`MESH-${name}`);
          expect(suffix).toMatch(/^[A-Z0-9]{6}$/);
          expect(suffix).not.toMatch(/[01258OILSZB]/);
        }
        // Random over the whole length: no character stands still.
        for (let at = 4; at < 26; at++)
          expect(new Set(bodies.map(({ id }) => id[at])).size).toBeGreaterThan(5);
      });
    });

    describe('Idempotency-Key', () => {
      test('a retry with the same key and body gets the first response again', async () => {
        const fields = { name: freshId('name'), nodeId: freshId() };
        const key = freshId('key');
        const first = await started(fields, key);
        clock.advance(60_000);
        expect(await started(fields, key)).toEqual(first);
        // A body with the same content counts as the same.
        const reordered = await server.post(
          PATH,
          { kinds: ['node', 'compute'], class: 'S', ...fields, action: 'start' },
          { headers: { 'idempotency-key': key } },
        );
        expect(await reordered.json()).toEqual(first);
        // Even after the registration has changed, it is the first response.
        await confirmed(first.id);
        expect(await started(fields, key)).toEqual(first);
      });

      test('after a day the key is as good as new', async () => {
        const key = freshId('key');
        const fields = { name: freshId('name'), nodeId: freshId() };
        const first = await started(fields, key);
        clock.advance(24 * HOUR - 1);
        expect(await started(fields, key)).toEqual(first);
        clock.advance(1);
        expect((await started({}, key)).id).not.toBe(first.id);
      });

      test('another body under the same key is refused', async () => {
        const key = freshId('key');
        const fields = { name: freshId('name'), nodeId: freshId() };
        await started(fields, key);
        const other = await start({ ...fields, name: freshId('name') }, key);
        await expectError(server, other, 409, 'invalid_state', ['Idempotency-Key']);
        const changed = await start({ ...fields, class: 'L' }, key);
        await expectError(server, changed, 409, 'invalid_state', ['Idempotency-Key']);
      });

      test('20 simultaneous retries make one registration', async () => {
        const fields = { name: freshId('name'), nodeId: freshId() };
        const key = freshId('key');
        const bodies = await Promise.all(Array.from({ length: 20 }, () => started(fields, key)));
        for (const body of bodies) expect(body).toEqual(bodies[0]);
      });

      test('a rejected start leaves its key unused', async () => {
        const key = freshId('key');
        const name = freshId('name');
        const { id } = await started({ name });
        const fields = { name, nodeId: freshId() };
        expect((await start(fields, key)).status).toBe(409);
        await reject(server.services, { id, reviewer: 'ada', reason: 'a test' });
        await started(fields, key);
      });

      test('without a key a retry is a new start', async () => {
        const fields = { name: freshId('name'), nodeId: freshId() };
        await started(fields);
        expect((await start(fields)).status).toBe(409);
      });

      test('a key is 1 to 255 visible characters', async () => {
        await started({}, 'x'.repeat(247) + freshId().slice(-8));
        for (const key of ['x'.repeat(256), 'a b'])
          await expectError(server, await start({}, key), 400, 'invalid_body', ['Idempotency-Key']);
      });
    });

    describe('confirm', () => {
      test('200 with the flat record, waiting for review; a repeat returns the same', async () => {
        const first = await started();
        clock.advance(5000);
        const record = await confirmed(first.id, { cashConfirm: '#D-7Q2M41' });
        expect(record).toEqual({
          ...first,
          status: 'pending_review',
          updatedAt: clock.iso(),
          cashConfirmGiven: true,
        });
        clock.advance(5000);
        expect(await confirmed(first.id, { cashConfirm: '#D-7Q2M41' })).toEqual(record);
        expect(await confirmed(first.id)).toEqual(record);
        expect(await look(first.id)).toEqual(record);
      });

      test('20 simultaneous confirms change the state once', async () => {
        const { id } = await started();
        const bodies = await Promise.all(Array.from({ length: 20 }, () => confirmed(id)));
        for (const body of bodies) expect(body.status).toBe('pending_review');
        const history = await statusChanges(server.services, id);
        expect(history.map(({ toStatus }) => toStatus)).toEqual([
          'pending_payment',
          'pending_review',
        ]);
      });

      test('of an active registration leaves it active', async () => {
        const { id } = await activeName(server);
        expect((await confirmed(id)).status).toBe('active');
        expect((await look(id)).status).toBe('active');
      });

      test('of one that a reviewer rejected or revoked is refused', async () => {
        const pending = await started();
        await reject(server.services, {
          id: pending.id,
          reviewer: 'ada',
          reason: 'no payment',
        });
        await expectError(server, await confirm(pending.id), 409, 'invalid_state');
        expect(await look(pending.id)).toMatchObject({
          status: 'rejected',
          rejectionReason: 'no payment',
        });
        const active = await activeName(server);
        await revoke(server.services, { id: active.id, reviewer: 'ada', reason: 'abuse' });
        await expectError(server, await confirm(active.id), 409, 'invalid_state');
        expect((await look(active.id)).rejectionReason).toBe('abuse');
      });

      test('with an unknown id gets 404, without an id 400', async () => {
        for (const id of ['reg_0000000000000000000000', 'x', ''])
          await expectError(server, await confirm(id), 404, 'not_found');
        for (const id of [undefined, null, 7, {}]) await refused({ action: 'confirm', id }, 'id');
      });

      test('cashConfirm is text of at most 128 characters', async () => {
        const { id } = await started();
        for (const cashConfirm of ['x'.repeat(129), 7, null, {}, []])
          await refused({ action: 'confirm', id, cashConfirm }, 'cashConfirm');
        expect((await look(id)).status).toBe('pending_payment');
        await confirmed(id, { cashConfirm: 'x'.repeat(128) });
        for (const cashConfirm of ['', '<script>', 'nul \u0000 and \u202E', '😀'])
          await confirmed((await started()).id, { cashConfirm });
      });

      test('cashConfirm is never returned', async () => {
        const marker = 'paid-marker-7Q2M41';
        const { id, name } = await started();
        const seen = [
          JSON.stringify(await confirmed(id, { cashConfirm: marker })),
          JSON.stringify(await look(id)),
          JSON.stringify(await confirmed(id, { cashConfirm: marker })),
        ];
        await accept(server.services, { id, reviewer: 'ada' });
        for (const path of [
          `${PATH}?id=${id}`,
          PATH,
          `${PATH}?name=${name}`,
          '/api/registry',
          '/metrics',
        ])
          seen.push(await (await server.get(path)).text());
        expect(seen.join().includes(marker)).toBe(false);
        expect(server.log().includes(marker)).toBe(false);
        // Nor is the id, which gives full access to the registration, in the log or in a public list.
        expect(server.log().includes(id)).toBe(false);
        expect(seen.slice(4).join().includes(id)).toBe(false);
      });
    });

    describe('the reservation of an unpaid name', () => {
      test('expires to the millisecond: then the registration is rejected and the name is available', async () => {
        const name = freshId('name');
        const { id, expiresAt } = await started({ name });
        clock.advance(48 * HOUR - 1);
        expect((await look(id)).status).toBe('pending_payment');
        expect((await start({ name })).status).toBe(409);
        clock.advance(1);
        expect(clock.iso()).toBe(expiresAt);
        // After a leap of the clock the server has to hear of the database once.
        await eventually(async () => (await server.get(`${PATH}?name=${name}`)).status, 200);
        expect(await getJson(server, `${PATH}?name=${name}`)).toMatchObject({ available: true });
        expect(await look(id)).toMatchObject({
          status: 'rejected',
          rejectionReason: 'payment window passed',
        });
        expect((await started({ name })).id).not.toBe(id);
      });

      test('a start takes over an expired name before a sweep has ended its reservation', async () => {
        const name = freshId('name');
        const { id } = await started({ name });
        clock.advance(48 * HOUR);
        await started({ name });
        expect(await look(id)).toMatchObject({
          status: 'rejected',
          rejectionReason: 'payment window passed',
        });
      });

      test('of 20 starts for an expired name exactly one wins', async () => {
        const name = freshId('name');
        await started({ name });
        clock.advance(48 * HOUR);
        const answers = await Promise.all(Array.from({ length: 20 }, () => start({ name })));
        expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(19).fill(409)]);
      });

      test('the sweep ends every expired reservation, and no other', async () => {
        const due = await started();
        clock.advance(24 * HOUR);
        const young = await started();
        const paid = await started();
        await confirmed(paid.id);
        const { pending } = (await getJson(server, PATH)).counts;
        clock.advance(24 * HOUR);
        await server.services.registration.endExpired();
        const { counts } = await getJson(server, PATH);
        expect(counts.pending).toBeLessThan(pending);
        expect((await look(due.id)).status).toBe('rejected');
        expect((await look(young.id)).status).toBe('pending_payment');
        expect((await look(paid.id)).status).toBe('pending_review');
      });

      test('a late confirm revives the registration unless someone else has the name', async () => {
        for (const seenBefore of [false, true]) {
          const name = freshId('name');
          const { id } = await started({ name });
          clock.advance(48 * HOUR);
          if (seenBefore) expect((await look(id)).status).toBe('rejected');
          expect(await confirmed(id)).toMatchObject({
            status: 'pending_review',
            rejectionReason: null,
          });
          expect((await start({ name })).status).toBe(409);
          clock.advance(48 * HOUR);
          expect((await look(id)).status).toBe('pending_review');
          const history = await statusChanges(server.services, id);
          expect(history.map(({ toStatus }) => toStatus)).toEqual([
            'pending_payment',
            'rejected',
            'pending_review',
          ]);
        }
      });

      test('a late confirm is refused if someone else has the name, and changes nothing', async () => {
        const name = freshId('name');
        const { id } = await started({ name });
        clock.advance(48 * HOUR);
        const next = await started({ name });
        await expectError(server, await confirm(id), 409, 'name_taken', ['name']);
        expect((await look(id)).status).toBe('rejected');
        expect((await look(next.id)).status).toBe('pending_payment');
        await reject(server.services, { id: next.id, reviewer: 'ada', reason: 'a test' });
        expect((await confirmed(id)).status).toBe('pending_review');
      });

      test('a late confirm against a start for the name: exactly one gets it', async () => {
        for (let round = 0; round < 5; round++) {
          const name = freshId('name');
          const { id } = await started({ name });
          clock.advance(48 * HOUR);
          const [late, other] = await Promise.all([confirm(id), start({ name })]);
          expect([late.status, other.status].sort()).toEqual(late.ok ? [200, 409] : [201, 409]);
        }
      });
    });
  });
});

describeContract(
  'CASHTAG, REGISTRATION_FEE_USD and HOLD_HOURS',
  { env: { CASHTAG: '$Mesh-Net_2', REGISTRATION_FEE_USD: '7.5', HOLD_HOURS: '0.5' } },
  ({ server, clock }) => {
    test('are in the record, the link and the info', async () => {
      const started = await postJson(server, PATH, aStart(), 201);
      expect(started).toMatchObject({ feeUsd: 7.5, expiresAt: clock.iso(HOUR / 2) });
      const url = new URL(started.payUrl);
      expect(url.origin + url.pathname).toBe('https://cash.app/$Mesh-Net_2/7.50');
      expect([...url.searchParams]).toEqual([['note', started.paymentNote]]);
      expect(url.href).toBe(started.payUrl);
      expect(await getJson(server, PATH)).toMatchObject({
        feeUsd: 7.5,
        cashtag: '$Mesh-Net_2',
        payment: { cashtag: '$Mesh-Net_2', feeUsd: 7.5 },
        rules: { holdHours: 0.5 },
      });
      clock.advance(HOUR / 2);
      expect((await getJson(server, `${PATH}?id=${started.id}`)).status).toBe('rejected');
    });
  },
);
