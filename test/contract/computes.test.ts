import { describe, expect, test } from 'vitest';
import {
  aCompute,
  activeName,
  describeContract,
  expectError,
  freshId,
  getJson,
  postJson,
  raw,
  type Json,
} from './contract.ts';
import { reject, revoke } from '../support/decisions.ts';

const PATH = '/api/registry/computes';
const ROW_KEYS =
  'backend class firstSeen freeSlots id image label lastSeen name nodeId replicas status visibility';

describeContract('/api/registry/computes', {}, ({ server, clock }) => {
  describe('GET', () => {
    const list = (query = ''): Promise<Json> => getJson(server, `${PATH}${query}`);
    const namesIn = async (query = '') =>
      (await list(query)).computes.map(({ name }: Json) => name);
    const announce = (nodeId: string, ...computes: object[]): Promise<Json> =>
      postJson(server, PATH, { nodeId, computes }, 200);
    const consistent = (answer: Json) => {
      const rows = answer.computes;
      const count = (status: string) => rows.filter((row: Json) => row.status === status).length;
      const sum = (of: (row: Json) => number) =>
        rows.reduce((n: number, row: Json) => n + of(row), 0);
      expect(answer.stats).toEqual({
        total: rows.length,
        available: count('available'),
        busy: count('busy'),
        offline: count('offline'),
        replicas: sum(({ replicas }) => replicas),
        freeSlots: sum(({ status, freeSlots }) => (status === 'available' ? freeSlots : 0)),
      });
      return answer;
    };

    test('an empty directory has every key', async () => {
      expect(await list()).toEqual({
        updatedAt: clock.iso(),
        availableMs: 300_000,
        stats: { total: 0, available: 0, busy: 0, offline: 0, replicas: 0, freeSlots: 0 },
        computes: [],
      });
    });

    test('a compute offer is listed automatically when its name is activated, until it is revoked', async () => {
      const nodeId = freshId();
      const name = freshId('comp');
      const { computes } = await announce(nodeId, aCompute({ name }));
      expect(computes[0]).toMatchObject({ listed: false, reason: 'name_not_active' });
      expect(await namesIn()).not.toContain(name);
      const { id } = await activeName(server, { name, nodeId, kinds: ['compute'] });
      const rows = consistent(await list()).computes;
      const { listed: _, reason: __, ...row } = computes[0];
      expect(rows.find((shown: Json) => shown.name === name)).toEqual(row);
      const again = await announce(nodeId, aCompute({ name }));
      expect(again.computes[0]).toMatchObject({ listed: true, reason: null });
      await revoke(server.services, { id, reviewer: 'ada', reason: 'a test' });
      expect(await namesIn()).not.toContain(name);
      const after = await announce(nodeId, aCompute({ name }));
      expect(after.computes[0]).toMatchObject({ listed: false, reason: 'name_not_active' });
    });

    test('a compute offer is listed only for the node of the registration', async () => {
      const [owner, other] = [freshId(), freshId()];
      const name = freshId('comp');
      await activeName(server, { name, nodeId: owner, kinds: ['compute'] });
      const theirs = await announce(other, aCompute({ name }));
      expect(theirs.computes[0]).toMatchObject({
        listed: false,
        reason: 'name_owned_by_another_node',
      });
      expect(await namesIn()).not.toContain(name);
      await announce(owner, aCompute({ name }));
      const rows = (await list()).computes.filter((row: Json) => row.name === name);
      expect(rows.map(({ nodeId }: Json) => nodeId)).toEqual([owner]);
    });

    test('a compute offer is listed only if the registration has kind compute', async () => {
      const nodeId = freshId();
      const name = freshId('comp');
      await activeName(server, { name, nodeId, kinds: ['node'] });
      const { computes } = await announce(nodeId, aCompute({ name }));
      expect(computes[0]).toMatchObject({ listed: false, reason: 'registration_lacks_compute' });
      expect(await namesIn()).not.toContain(name);
    });

    test('pending and rejected registrations list nothing', async () => {
      const nodeId = freshId();
      const name = freshId('comp');
      const { id } = await postJson(
        server,
        '/api/registry/register',
        { action: 'start', name, nodeId, kinds: ['compute'] },
        201,
      );
      const reason = async () => (await announce(nodeId, aCompute({ name }))).computes[0].reason;
      expect(await reason()).toBe('name_not_active');
      await postJson(server, '/api/registry/register', { action: 'confirm', id }, 200);
      expect(await reason()).toBe('name_not_active');
      await reject(server.services, { id, reviewer: 'ada', reason: 'no payment' });
      expect(await reason()).toBe('name_not_active');
      expect(await namesIn()).not.toContain(name);
    });

    test('one announcement may have listed and unlisted rows, each with its reason', async () => {
      const nodeId = freshId();
      const [mine, theirs, nodeOnly, unknown] = Array.from({ length: 4 }, () => freshId('comp'));
      await activeName(server, { name: mine, nodeId });
      await activeName(server, { name: theirs, nodeId: freshId() });
      await activeName(server, { name: nodeOnly, nodeId, kinds: ['node'] });
      const { computes } = await announce(
        nodeId,
        ...[mine, theirs, nodeOnly, unknown].map((name) => aCompute({ name })),
      );
      expect(computes.map(({ listed, reason }: Json) => [listed, reason])).toEqual([
        [true, null],
        [false, 'name_owned_by_another_node'],
        [false, 'registration_lacks_compute'],
        [false, 'name_not_active'],
      ]);
    });

    test('available, busy and offline, to the millisecond of availableMs', async () => {
      const nodeId = freshId();
      const [free, full] = [freshId('comp'), freshId('comp')];
      await activeName(server, { name: free, nodeId });
      await activeName(server, { name: full, nodeId });
      await announce(
        nodeId,
        aCompute({ name: free, freeSlots: 3 }),
        aCompute({ name: full, freeSlots: 0 }),
      );
      const statuses = async () => {
        const { computes } = consistent(await list());
        return [free, full].map((name) => computes.find((row: Json) => row.name === name).status);
      };
      expect(await statuses()).toEqual(['available', 'busy']);
      clock.advance(300_000);
      expect(await statuses()).toEqual(['available', 'busy']);
      clock.advance(1);
      expect(await statuses()).toEqual(['offline', 'offline']);
      await announce(nodeId, aCompute({ name: full, freeSlots: 1 }));
      expect(await statuses()).toEqual(['offline', 'available']);
    });

    describe('filters', () => {
      test('available and visibility filter the rows, and stats cover the rows in the answer', async () => {
        const nodeId = freshId();
        const rows: [string, string, number][] = [
          [freshId('comp'), 'public', 2],
          [freshId('comp'), 'private', 5],
          [freshId('comp'), 'public', 0],
        ];
        const stale = freshId('comp');
        for (const name of [stale, ...rows.map(([name]) => name)])
          await activeName(server, { name, nodeId });
        await announce(nodeId, aCompute({ name: stale, visibility: 'public', freeSlots: 9 }));
        clock.advance(300_001);
        await announce(
          nodeId,
          ...rows.map(([name, visibility, freeSlots]) => aCompute({ name, visibility, freeSlots })),
        );
        const [open, hidden, busy] = rows.map(([name]) => name);
        const all = [stale, open, hidden, busy];
        const found = async (query: string) => {
          const answer = consistent(await list(query));
          return all.filter((name) => answer.computes.some((row: Json) => row.name === name));
        };
        for (const query of ['', '?visibility=all', '?available=0', '?available=false', '?foo=1'])
          expect({ query, found: await found(query) }).toEqual({ query, found: all });
        for (const query of ['?available=1', '?available=true', '?visibility=all&available=1'])
          expect({ query, found: await found(query) }).toEqual({ query, found: [open, hidden] });
        expect(await found('?visibility=public')).toEqual([stale, open, busy]);
        expect(await found('?visibility=private')).toEqual([hidden]);
        expect(await found('?visibility=public&available=1')).toEqual([open]);
        expect(await found('?visibility=private&available=true')).toEqual([hidden]);
        const { stats } = await list('?available=1');
        expect(stats).toMatchObject({ busy: 0, offline: 0 });
      });

      test.each(['yes', '', '2', 'TRUE', '01', 'null'])(
        'available=%s is refused',
        async (value) => {
          await expectError(
            server,
            await server.get(`${PATH}?available=${value}`),
            400,
            'invalid_query',
            ['available'],
          );
        },
      );

      test.each(['', 'PUBLIC', 'none', 'public,private'])(
        'visibility=%s is refused',
        async (value) => {
          await expectError(
            server,
            await server.get(`${PATH}?visibility=${value}`),
            400,
            'invalid_query',
            ['visibility'],
          );
        },
      );

      test('each filter has its own ETag, which changes with its rows', async () => {
        const tags = () =>
          Promise.all(
            ['private', 'public'].map(async (visibility) =>
              (await server.get(`${PATH}?visibility=${visibility}`)).headers.get('etag'),
            ),
          );
        const name = freshId('name');
        const nodeId = freshId();
        await activeName(server, { name, nodeId });
        const [privateBefore, publicBefore] = await tags();
        await announce(nodeId, aCompute({ name, visibility: 'private' }));
        const [privateAfter, publicAfter] = await tags();
        expect(privateAfter).not.toBe(privateBefore);
        expect(publicAfter).toBe(publicBefore);
      });
    });
  });

  describe('POST', () => {
    const announce = (body: unknown): Promise<Json> => postJson(server, PATH, body, 200);
    const one = async (fields: Record<string, unknown>): Promise<Json> => {
      const { computes } = await announce({ nodeId: freshId(), computes: [aCompute(fields)] });
      return computes[0];
    };
    const refused = async (body: unknown, ...issues: string[]) =>
      expectError(server, await server.post(PATH, body), 400, 'invalid_body', issues);
    const refusedOne = (fields: Record<string, unknown>, ...issues: string[]) =>
      refused(
        { nodeId: freshId(), computes: [aCompute(fields)] },
        ...issues.map((field) => `computes[0].${field}`),
      );

    test('answers with every row as stored, with its defaults and why it is not listed', async () => {
      const nodeId = freshId();
      const [small, full] = [freshId('comp'), freshId('comp')];
      const at = clock.iso();
      expect(
        await announce({
          nodeId,
          label: 'rack 1',
          computes: [
            { name: small, replicas: 0, freeSlots: 0 },
            {
              name: full,
              image: 'ghcr.io/acme/llama:3.1',
              visibility: 'public',
              class: 'L',
              backend: 'k8s',
              replicas: 4,
              freeSlots: 9,
            },
          ],
        }),
      ).toEqual({
        ok: true,
        nodeId,
        count: 2,
        computes: [
          {
            id: `${nodeId}:${small}`,
            name: small,
            nodeId,
            label: 'rack 1',
            image: '',
            visibility: 'private',
            class: 'S',
            backend: 'docker',
            replicas: 0,
            freeSlots: 0,
            status: 'busy',
            lastSeen: at,
            firstSeen: at,
            listed: false,
            reason: 'name_not_active',
          },
          {
            id: `${nodeId}:${full}`,
            name: full,
            nodeId,
            label: 'rack 1',
            image: 'ghcr.io/acme/llama:3.1',
            visibility: 'public',
            class: 'L',
            backend: 'k8s',
            replicas: 4,
            freeSlots: 9,
            status: 'available',
            lastSeen: at,
            firstSeen: at,
            listed: false,
            reason: 'name_not_active',
          },
        ],
        availableMs: 300_000,
        nextAnnounceMs: expect.any(Number),
        notice: expect.stringMatching(
          /^1 of 2 compute offers has no visibility, so it is private\./,
        ),
      });
    });

    test('says what it means that offers have no visibility, and nothing if all have one', async () => {
      const of = async (...visibilities: (string | undefined)[]) => {
        const computes = visibilities.map((visibility) => aCompute({ visibility }));
        return (await announce({ nodeId: freshId(), computes })).notice;
      };
      expect(await of(undefined)).toMatch(
        /^1 of 1 compute offer has no visibility, so it is private/,
      );
      expect(await of(undefined, undefined, 'private')).toMatch(
        /^2 of 3 compute offers have no visibility, so they are private\. The public directory lists them/,
      );
      expect(await of('private', 'public')).toBeUndefined();
    });

    test('asks for the next announcement well before the row is stale', async () => {
      const { availableMs, nextAnnounceMs } = await announce({
        nodeId: freshId(),
        computes: [aCompute()],
      });
      expect(nextAnnounceMs).toBeGreaterThan(0);
      expect(nextAnnounceMs).toBeLessThanOrEqual(availableMs / 2);
    });

    test('firstSeen stays, lastSeen moves on, and the last announcement decides everything else', async () => {
      const nodeId = freshId();
      const name = freshId('comp');
      const first = clock.iso();
      await announce({
        nodeId,
        label: 'rack 1',
        computes: [
          { name, image: 'old:1', class: 'L', visibility: 'public', replicas: 1, freeSlots: 1 },
        ],
      });
      clock.advance(1000);
      const { computes } = await announce({
        nodeId,
        computes: [{ name, replicas: 2, freeSlots: 0 }],
      });
      expect(computes[0]).toMatchObject({
        // An omitted label stays.
        label: 'rack 1',
        image: '',
        class: 'S',
        visibility: 'private',
        replicas: 2,
        freeSlots: 0,
        firstSeen: first,
        lastSeen: clock.iso(),
      });
      clock.advance(-5000);
      const late = await announce({ nodeId, computes: [{ name, replicas: 2, freeSlots: 0 }] });
      clock.advance(5000);
      expect(late.computes[0]).toMatchObject({ firstSeen: first, lastSeen: clock.iso() });
    });

    test('rows missing from an announcement stay unchanged', async () => {
      const nodeId = freshId();
      const [a, b] = [freshId('comp'), freshId('comp')];
      await activeName(server, { name: a, nodeId });
      await announce({ nodeId, computes: [aCompute({ name: a, freeSlots: 7 })] });
      const before = clock.iso();
      clock.advance(1000);
      await announce({ nodeId, computes: [aCompute({ name: b })] });
      const { computes } = await getJson(server, PATH);
      expect(computes.find(({ name }: Json) => name === a)).toMatchObject({
        freeSlots: 7,
        lastSeen: before,
      });
    });

    describe('fields', () => {
      test('nodeId and computes are required', async () => {
        const { error } = await refused({}, 'nodeId', 'computes');
        expect(error).toBe('nodeId and computes are required.');
        await refused({ nodeId: freshId() }, 'computes');
        await refused({ computes: [aCompute()] }, 'nodeId');
        for (const computes of [null, {}, 'x', 7, true])
          await refused({ nodeId: freshId(), computes }, 'computes');
      });

      test('nodeId follows the rule of a ping, and "genesis" is reserved', async () => {
        for (const nodeId of ['a', 'x'.repeat(65), 'a b', 7, null, {}])
          await refused({ nodeId, computes: [aCompute()] }, 'nodeId');
        for (const nodeId of ['genesis', 'GeNeSiS'])
          await expectError(
            server,
            await server.post(PATH, { nodeId, computes: [aCompute()] }),
            400,
            'reserved_node_id',
            ['nodeId'],
          );
      });

      test('1 to 256 elements', async () => {
        await refused({ nodeId: freshId(), computes: [] }, 'computes');
        const many = (count: number) =>
          Array.from({ length: count }, (_, n) => aCompute({ name: `many-${n}` }));
        const { count, computes } = await announce({ nodeId: freshId(), computes: many(256) });
        expect([count, computes.length]).toEqual([256, 256]);
        expect(computes.map(({ name }: Json) => name)).toEqual(many(256).map(({ name }) => name));
        await refused({ nodeId: freshId(), computes: many(257) }, 'computes');
      });

      test('each element is an object', async () => {
        for (const element of [null, 'x', 7, []])
          await refused({ nodeId: freshId(), computes: [aCompute(), element] }, 'computes[1]');
      });

      test('name has 2 to 32 of a-z 0-9 _ -, first and last a letter or digit, upper case folded', async () => {
        for (const name of [
          'ab',
          '00',
          'a-b',
          'a_b',
          'a--b',
          'x'.repeat(32),
          'a'.padEnd(31, '-') + '9',
        ])
          expect((await one({ name })).name).toBe(name);
        for (const [name, folded] of [
          ['GARAGE', 'garage'],
          ['Mac-Mini_2', 'mac-mini_2'],
        ])
          expect((await one({ name })).name).toBe(folded);
        for (const name of [
          '',
          'a',
          'x'.repeat(33),
          '-ab',
          'ab-',
          '_ab',
          'ab_',
          'a b',
          'a.b',
          'ä-b',
          'ab\n',
          ' ab',
          'a:b',
          '\u212Aelvin',
          undefined,
          null,
          7,
          {},
        ])
          await refusedOne({ name }, 'name');
      });

      test('names are distinct, after folding', async () => {
        const nodeId = freshId();
        await refused(
          {
            nodeId,
            computes: [aCompute({ name: 'twin' }), aCompute(), aCompute({ name: 'TWIN' })],
          },
          'computes[2].name',
        );
      });

      test('the same name on two nodes is two rows', async () => {
        const name = freshId('comp');
        const [a, b] = [await one({ name, freeSlots: 1 }), await one({ name, freeSlots: 2 })];
        expect(a.id).not.toBe(b.id);
      });

      test('replicas is a whole number from 0 to 100,000, freeSlots from 0 to 1,000,000; both are required', async () => {
        expect(await one({ replicas: 100_000, freeSlots: 1_000_000 })).toMatchObject({
          replicas: 100_000,
          freeSlots: 1_000_000,
        });
        expect(await one({ replicas: 0, freeSlots: 0 })).toMatchObject({
          replicas: 0,
          freeSlots: 0,
        });
        for (const bad of [-1, 0.5, '4', null, undefined, true, [], 1e20]) {
          await refusedOne({ replicas: bad }, 'replicas');
          await refusedOne({ freeSlots: bad }, 'freeSlots');
        }
        const sentence = async (computes: unknown[], ...fields: string[]) =>
          (await refused({ nodeId: freshId(), computes }, ...fields)).error;
        const without = { replicas: undefined };
        expect(
          await sentence(
            [aCompute(), aCompute(), aCompute(), aCompute(without)],
            'computes[3].replicas',
          ),
        ).toBe('computes[3].replicas is required.');
        const six = Array.from({ length: 6 }, () => aCompute(without));
        expect(await sentence(six, ...six.map((_, n) => `computes[${n}].replicas`))).toBe(
          'computes[0].replicas, computes[1].replicas, computes[2].replicas, computes[3].replicas and 2 more are required.',
        );
        await refusedOne({ replicas: 100_001 }, 'replicas');
        await refusedOne({ freeSlots: 1_000_001 }, 'freeSlots');
        await refusedOne({ replicas: -1, freeSlots: 'x' }, 'replicas', 'freeSlots');
      });

      test('image is an OCI reference or a plain label of at most 255 characters', async () => {
        for (const image of [
          '',
          'llama',
          'llama:3.1',
          'Llama 3 70B (Q4)',
          'ghcr.io/acme/llama:3.1',
          'registry.example:5000/team/app_x:v1-rc.2',
          `ghcr.io/acme/llama@sha256:${'0123456789abcdef'.repeat(4)}`,
          `llama:3.1@sha256:${'0'.repeat(64)}`,
          'モデル 3',
          'Llama 3: chat, 4 bit',
          'docker:24-dind',
          'data:v1',
          'acme/app:nightly-2026-11-22-1',
          'localhost:5000/a/b:1.2.3',
          'x'.repeat(255),
        ])
          expect((await one({ image })).image).toBe(image);
        for (const image of [
          'x'.repeat(256),
          'https://ghcr.io/acme/llama',
          'docker://llama',
          '//ghcr.io/llama',
          'user:password@ghcr.io/acme/llama',
          'user@ghcr.io/llama',
          'llama@sha256:abc',
          'user:password/llama',
          'user:1234567/llama',
          'http:/llama',
          'http: //llama',
          'javascript:alert(1)',
          'JavaScript : alert(1)',
          'vbscript:x',
          'data:text/html,x',
          'ip-203-0-113-7.ec2.internal/llama',
          '203.0.113.0007/llama',
          'llama 203.0.113 .7',
          '10.0.0.5:5000/llama',
          'llama 192.168.1.20',
          '[::1]:5000/llama',
          'fe80::1/llama',
          '<b>llama</b>',
          'a\nb',
          'a\u0000b',
          'a\u202Eb',
          'a"b',
          null,
          7,
          {},
        ])
          await refusedOne({ image }, 'image');
      });

      test('visibility is public or private, class S, M or L', async () => {
        for (const visibility of ['public', 'private'])
          expect((await one({ visibility })).visibility).toBe(visibility);
        for (const visibility of ['all', 'Public', '', null, 1])
          await refusedOne({ visibility }, 'visibility');
        for (const size of ['S', 'M', 'L']) expect((await one({ class: size })).class).toBe(size);
        for (const size of ['s', 'XL', '', null, 1]) await refusedOne({ class: size }, 'class');
      });

      test('backend has 1 to 32 of a-z 0-9 . _ -', async () => {
        for (const backend of ['x', 'docker', 'k8s.v1_2-3', 'x'.repeat(32)])
          expect((await one({ backend })).backend).toBe(backend);
        for (const backend of ['', 'Docker', 'a b', 'x'.repeat(33), 'a/b', null, 1])
          await refusedOne({ backend }, 'backend');
      });

      test("a label follows the rules of a ping's label", async () => {
        const labelled = async (label: unknown) =>
          (await announce({ nodeId: freshId(), label, computes: [aCompute()] })).computes[0];
        expect((await labelled('rack <b>1</b>')).label).toBe('rack 1');
        const dropped = await labelled('10.1.2.3');
        expect(dropped.label).toBe(dropped.nodeId);
        const none = await labelled(undefined);
        expect(none.label).toBe(none.nodeId);
        for (const label of [7, null, {}])
          await refused({ nodeId: freshId(), label, computes: [aCompute()] }, 'label');
        await refused(
          { nodeId: freshId(), label: 'x'.repeat(65), computes: [aCompute()] },
          'label',
        );
      });

      test('unknown keys are dropped at every level, and not stored', async () => {
        const nodeId = freshId();
        const name = freshId('comp');
        await activeName(server, { name, nodeId });
        const body = {
          nodeId,
          host: 'secret-host',
          port: 4711,
          meta: { url: 'secret-url' },
          computes: [
            {
              ...aCompute({ name }),
              url: 'secret-url',
              endpoint: { host: 'secret-host' },
              token: 'secret-token',
              status: 'offline',
              nodeId: 'another_node',
              lastSeen: '1999-01-01T00:00:00.000Z',
            },
          ],
        };
        const { computes } = await announce(body);
        expect(Object.keys(computes[0]).sort().join(' ')).toBe(
          `${ROW_KEYS} listed reason`.split(' ').sort().join(' '),
        );
        expect(computes[0]).toMatchObject({ nodeId, status: 'available', lastSeen: clock.iso() });
        const seen =
          (await (await server.get(PATH)).text()) + JSON.stringify(computes) + server.log();
        expect(/secret|another_node|1999-01/.exec(seen)?.[0]).toBeUndefined();
      });

      test('names of Object.prototype properties cause no harm', async () => {
        const nodeId = freshId();
        const answer = await raw(server, PATH, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: `{"nodeId":"${nodeId}","__proto__":{"label":"x"},"computes":[{"name":"constructor","replicas":1,"freeSlots":1,"__proto__":{"class":"L"},"toString":1}]}`,
        });
        expect(answer.status).toBe(200);
        expect(JSON.parse(answer.body.toString()).computes[0]).toMatchObject({
          id: `${nodeId}:constructor`,
          label: nodeId,
          class: 'S',
        });
      });

      test('an invalid element is named, and none of the announcement is stored', async () => {
        const nodeId = freshId();
        const names = [freshId('comp'), freshId('comp'), freshId('comp'), freshId('comp')];
        for (const name of names) await activeName(server, { name, nodeId });
        const computes = names.map((name) => aCompute({ name }));
        await refused(
          { nodeId, computes: computes.with(3, aCompute({ name: names[3], replicas: 1.5 })) },
          'computes[3].replicas',
        );
        const after = await getJson(server, PATH);
        expect(after.computes.filter((row: Json) => row.nodeId === nodeId)).toEqual([]);
        // Nor is it stored unseen: the first announcement that succeeds is the first ever.
        clock.advance(1000);
        const stored = await announce({ nodeId, computes });
        expect(stored.computes[0].firstSeen).toBe(clock.iso());
      });
    });

    test('announcements of one host that arrive together are stored whole, and none is lost', async () => {
      const nodeId = freshId();
      const names = Array.from({ length: 6 }, () => freshId('comp'));
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, n) =>
          announce({
            nodeId,
            computes: (n % 2 ? names : [...names].reverse()).map((name) => ({
              name,
              replicas: n,
              freeSlots: n,
            })),
          }),
        ),
      );
      for (const { computes } of answers) expect(computes).toHaveLength(names.length);
      const { computes } = await announce({
        nodeId,
        computes: names.map((name) => aCompute({ name })),
      });
      expect(new Set(computes.map(({ firstSeen }: Json) => firstSeen)).size).toBe(1);
    });
  });
});

describeContract(
  'COMPUTE_LISTING=announced and COMPUTE_FRESH_MS',
  { env: { COMPUTE_LISTING: 'announced', COMPUTE_FRESH_MS: '90000' } },
  ({ server, clock }) => {
    test('every announced compute offer is listed, without a registry', async () => {
      const nodes = [freshId(), freshId()];
      const name = freshId('comp');
      for (const nodeId of nodes) {
        const answer = await postJson(
          server,
          PATH,
          { nodeId, computes: [aCompute({ name })] },
          200,
        );
        expect(answer.computes[0]).toMatchObject({ listed: true, reason: null });
        expect(answer.availableMs).toBe(90_000);
      }
      const { computes, availableMs } = await getJson(server, PATH);
      expect(availableMs).toBe(90_000);
      const rows = computes.filter((row: Json) => row.name === name);
      expect(rows.map(({ nodeId }: Json) => nodeId).sort()).toEqual([...nodes].sort());
      expect(rows.map((row: Json) => Object.keys(row).sort().join(' '))).toEqual(
        Array(2).fill(ROW_KEYS),
      );
      clock.advance(90_000);
      const statuses = async () =>
        (await getJson(server, PATH)).computes
          .filter((row: Json) => row.name === name)
          .map(({ status }: Json) => status);
      expect(await statuses()).toEqual(['available', 'available']);
      clock.advance(1);
      expect(await statuses()).toEqual(['offline', 'offline']);
    });
  },
);
