import { describe, expect, test } from 'vitest';
import { Ping } from '@mesh-registry/protocol/rest/mesh.schema.ts';
import { NO_FILTER } from '#server/mesh/mesh-query.schema.ts';
import {
  aPing,
  aShownPeer,
  describeContract,
  expectError,
  freshId,
  getJson,
  postJson,
  raw,
  type Json,
} from './contract.ts';

const PATH = '/api/mesh/ping';

describeContract('/api/mesh/ping', {}, ({ server, clock }) => {
  const ping = (body: unknown, status?: number): Promise<Json> =>
    postJson(server, PATH, body, status ?? 201);
  const refused = async (body: unknown, ...issues: string[]) =>
    expectError(server, await server.post(PATH, body), 400, 'invalid_body', issues);
  const onTheMap = async (id: string): Promise<Json> =>
    (await getJson(server, '/api/mesh')).peers.find((peer: Json) => peer.id === id);

  test('GET describes the body from the schema that the POST parses with', async () => {
    const described = await getJson(server, PATH);
    expect(described).toMatchObject({
      ok: true,
      endpoint: 'POST /api/mesh/ping',
      auth: { header: 'Authorization', scheme: 'Bearer', required: false },
      signature: {
        covers: ['@method', '@path', '@authority', 'content-digest'],
        authority: null,
      },
      maxBodyBytes: 4096,
      nextPingMs: 20_000,
      offlineAfterMs: 60_000,
    });
    expect(Object.keys(described).sort()).toEqual(
      'auth endpoint fields filters maxBodyBytes nextPingMs offlineAfterMs ok schema signature'.split(
        ' ',
      ),
    );
    expect(Object.keys(described.fields)).toEqual(Object.keys(Ping.shape));
    const required = Object.entries<Json>(described.fields).filter(([, field]) => field.required);
    expect(required.map(([name]) => name)).toEqual(['nodeId', 'lat', 'lng']);
    expect(described.fields.nodeId).toMatchObject({
      required: true,
      type: 'string',
      pattern: '^[a-zA-Z0-9_-]{2,64}$',
    });
    expect(described.fields.lat).toMatchObject({ type: 'number', minimum: -90, maximum: 90 });
    expect(described.fields.lng).toMatchObject({ type: 'number', minimum: -180, maximum: 180 });
    expect(described.fields.class.enum).toEqual(['S', 'M', 'L']);
    expect(described.fields.status.enum).toEqual(['online', 'syncing', 'idle', 'offline']);
    expect(described.schema).toMatchObject({
      type: 'object',
      required: ['nodeId', 'lat', 'lng'],
      properties: { region: { pattern: '^[A-Z0-9_-]{1,16}$' } },
    });
    expect(described.filters.length).toBeGreaterThan(2);
    for (const filter of described.filters) expect(filter).toMatch(/\w/);
  });

  describe('the answer', () => {
    test('is 201 with a new peer the first time, then 200 with the same peer', async () => {
      const nodeId = freshId();
      const peer = aShownPeer(nodeId, clock.iso());
      const first = await ping({ nodeId, lat: 37.7, lng: -122.4 }, 201);
      expect(first).toEqual({
        ok: true,
        isNew: true,
        message: expect.any(String),
        peer,
        dropped: [],
        nextPingMs: 20_000,
      });
      clock.advance(20_000);
      const second = await ping({ nodeId, lat: 10, lng: 20 }, 200);
      expect(second).toEqual({
        ok: true,
        isNew: false,
        message: expect.any(String),
        peer: { ...peer, region: 'AF', lastSeen: clock.iso(), lat: 10, lng: 20 },
        dropped: [],
        nextPingMs: 20_000,
      });
      expect(first.message).not.toBe(second.message);
    });

    test('matches what the map shows at once', async () => {
      for (let n = 0; n < 5; n++) {
        const { peer } = await ping(aPing({ label: `house ${n}`, class: 'L', region: 'EU' }));
        expect(await onTheMap(peer.id)).toEqual(peer);
        const again = await ping(aPing({ nodeId: peer.id, status: 'idle' }), 200);
        expect(await onTheMap(peer.id)).toEqual(again.peer);
      }
    });

    test('a ping registers no name', async () => {
      const name = freshId('name');
      await ping(aPing({ nodeId: name, label: name }));
      const registry = await getJson(server, '/api/registry');
      expect(JSON.stringify(registry)).not.toContain(name);
      const free = await getJson(server, `/api/registry/register?name=${name}`);
      expect(free.available).toBe(true);
    });
  });

  describe('dropped keys', () => {
    test('unknown keys are listed in their order, and not stored', async () => {
      const body = {
        ip: '203.0.113.77',
        ...aPing(),
        hostname: 'secret-host.example',
        meta: { a: 1 },
        Lat: 3,
        token: 'secret-token',
      };
      const { dropped, peer } = await ping(body);
      expect(dropped).toEqual(['ip', 'hostname', 'meta', 'Lat', 'token']);
      expect(peer).toEqual(aShownPeer(peer.id, clock.iso()));
      const shown = await (await server.get('/api/mesh')).text();
      for (const secret of ['203.0.113.77', 'secret-host', 'secret-token'])
        expect(shown + server.log()).not.toContain(secret);
    });

    test('nested values of optional keys count as omitted', async () => {
      const nodeId = freshId();
      await ping(aPing({ nodeId, label: 'mine', class: 'L', region: 'EU' }));
      const { dropped, peer } = await ping(
        aPing({ nodeId, label: { a: 1 }, class: ['S'], region: [], status: {} }),
        200,
      );
      expect(dropped).toEqual(['label', 'class', 'region', 'status']);
      expect(peer).toMatchObject({ label: 'mine', class: 'L', region: 'EU', status: 'online' });
    });

    test('a label that cannot be published is listed last', async () => {
      const { dropped } = await ping({ label: 'evil.example.com', meta: [], ...aPing(), ip: 'x' });
      expect(dropped).toEqual(['meta', 'ip', 'label']);
    });

    test('a nested value of a required key counts as missing', async () => {
      await refused(aPing({ nodeId: { id: 'a' } }), 'nodeId');
      await refused(aPing({ lat: [1] }), 'lat');
      await refused(aPing({ lat: {}, lng: {} }), 'lat', 'lng');
    });

    test('names of Object.prototype properties are keys like any other', async () => {
      const { nodeId, lat, lng } = aPing();
      const text = `{"nodeId":"${nodeId}","lat":${lat},"lng":${lng},"__proto__":{"label":"mine"},"constructor":1,"toString":"x","hasOwnProperty":true}`;
      const answer = await raw(server, PATH, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: text,
      });
      expect(answer.status).toBe(201);
      const { dropped, peer } = JSON.parse(answer.body.toString());
      expect(dropped).toEqual(['__proto__', 'constructor', 'toString', 'hasOwnProperty']);
      expect(peer.label).toBe(nodeId);
      expect(({} as Json).label).toBeUndefined();
      // Required fields are not looked up in the prototype either.
      const hidden = await raw(server, PATH, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: `{"__proto__":{"nodeId":"hidden_one","lat":1,"lng":1}}`,
      });
      expect(hidden.status).toBe(400);
    });
  });

  describe('fields', () => {
    test.each(['nodeId', 'lat', 'lng'])('%s is required', async (field) => {
      const { error, issues } = await refused({ ...aPing(), [field]: undefined }, field);
      expect({ error, issues }).toEqual({
        error: `${field} is required.`,
        issues: [{ path: field, message: 'is required' }],
      });
      await refused({ ...aPing(), [field]: null }, field);
    });

    test('one sentence names every missing and every invalid field', async () => {
      const sentence = async (body: unknown, fields: string[]) =>
        (await expectError(server, await server.post(PATH, body), 400, 'invalid_body', fields))
          .error;
      expect(await sentence({ nodeId: freshId() }, ['lat', 'lng'])).toBe(
        'lat and lng are required.',
      );
      expect(await sentence({}, ['nodeId', 'lat', 'lng'])).toBe(
        'nodeId, lat and lng are required.',
      );
      expect(await sentence({ nodeId: 'x', lat: 91 }, ['nodeId', 'lat', 'lng'])).toBe(
        'nodeId must be 2 to 64 characters: a-z, A-Z, 0-9, - and _; lat must be from -90 to 90; and lng is required.',
      );
      expect(await sentence(aPing({ lat: '37.7', lng: true }), ['lat', 'lng'])).toBe(
        'lat must be a number, not a string, and lng must be a number.',
      );
      expect(await sentence(aPing({ lat: '37.7', lng: '-122.4' }), ['lat', 'lng'])).toBe(
        'lat and lng must each be a number, not a string.',
      );
      expect(await sentence([], [''])).toBe('The body must be a JSON object.');
    });

    test('nodeId has 2 to 64 of a-z A-Z 0-9 _ -', async () => {
      const longest = freshId().padEnd(64, 'x');
      for (const nodeId of [freshId('A-b_9').slice(0, 12), longest, '--', '__', '_0'])
        expect((await server.post(PATH, aPing({ nodeId }))).ok).toBe(true);
      for (const nodeId of [
        '',
        'a',
        `${longest}x`,
        'a b',
        'a.b',
        'nöde',
        'a/b',
        'ab\n',
        '\nab',
        ' ab',
        'a:b',
        7,
        true,
        12345,
      ])
        await refused(aPing({ nodeId }), 'nodeId');
    });

    test('nodeId and region are no IP address, in no spelling that fits them', async () => {
      for (const nodeId of [
        '203-0-113-7',
        'ip-203-0-113-7',
        '203_0_113_0007',
        'ec2-203-0-113-7-eu',
      ])
        await refused(aPing({ nodeId }), 'nodeId');
      for (const nodeId of ['node-2026-11-22-1', 'rack_1-2_3-4', 'gpu-300-400-500-600'])
        expect((await server.post(PATH, aPing({ nodeId }))).ok).toBe(true);
    });

    test('"genesis" is reserved, in upper and lower case', async () => {
      for (const nodeId of ['genesis', 'GENESIS', 'Genesis', 'gEnEsIs'])
        await expectError(
          server,
          await server.post(PATH, aPing({ nodeId })),
          400,
          'reserved_node_id',
          ['nodeId'],
        );
      for (const nodeId of ['genesis_', 'genesis2', 'xgenesis'])
        expect((await server.post(PATH, aPing({ nodeId }))).ok).toBe(true);
    });

    test('lat is a number from -90 to 90, lng from -180 to 180', async () => {
      for (const [lat, lng] of [
        [90, 180],
        [-90, -180],
        [0, 0],
        [-0, -0],
        [89.999, 179.999],
        [1e-300, 5e-324],
      ])
        await ping(aPing({ lat, lng }));
      for (const lat of [90.0001, -90.0001, 1e9, '37.7', '', true, 'NaN'])
        await refused(aPing({ lat }), 'lat');
      for (const lng of [180.0001, -180.0001, -1e308, '-122.4', '0x10', false])
        await refused(aPing({ lng }), 'lng');
      await refused(aPing({ lat: null, lng: null }), 'lat', 'lng');
    });

    test('a number beyond the range of numbers is rejected', async () => {
      const body = JSON.stringify(aPing({ lat: 0 })).replace('"lat":0', '"lat":1e999');
      const answer = await raw(server, PATH, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      });
      expect(JSON.parse(answer.body.toString())).toMatchObject({
        code: 'invalid_body',
        issues: [{ path: 'lat' }],
      });
    });

    test('class is S, M or L', async () => {
      for (const size of ['S', 'M', 'L'])
        expect((await ping(aPing({ class: size }))).peer.class).toBe(size);
      for (const size of ['s', 'XL', '', ' S', 1, true, null])
        await refused(aPing({ class: size }), 'class');
    });

    test('region has 1 to 16 of A-Z 0-9 _ -', async () => {
      for (const region of [
        'E',
        'EU',
        'US-CA_2',
        '7',
        '-',
        'X'.repeat(16),
        'TOSTRING',
        '__PROTO__',
      ])
        expect((await ping(aPing({ region }))).peer.region).toBe(region);
      for (const region of ['203-0-113-7', '203_0_113_7', 'X-203-0-113-7'])
        await refused(aPing({ region }), 'region');
      for (const region of ['', 'eu', 'X'.repeat(17), 'E U', 'ÉU', 'EU\n', 1, null])
        await refused(aPing({ region }), 'region');
    });

    test('status is online, syncing, idle or offline', async () => {
      for (const status of ['online', 'syncing', 'idle', 'offline'])
        expect((await ping(aPing({ status }))).peer.status).toBe(status);
      for (const status of ['', 'Online', 'busy', 'unknown', 0, null])
        await refused(aPing({ status }), 'status');
    });

    test('a label is a string', async () => {
      for (const label of [7, true, null]) await refused(aPing({ label }), 'label');
    });

    test('a rejected ping leaves no trace', async () => {
      const nodeId = freshId();
      await refused(aPing({ nodeId, lat: 91 }), 'lat');
      await refused(aPing({ nodeId, region: 'no' }), 'region');
      expect(await onTheMap(nodeId)).toBeUndefined();
      await ping(aPing({ nodeId }), 201);
    });
  });

  describe('omitted fields', () => {
    test('an omitted label, class or region keeps its value; an omitted status means online', async () => {
      const nodeId = freshId();
      await ping(aPing({ nodeId, label: 'attic', class: 'M', region: 'EU', status: 'syncing' }));
      const kept = { label: 'attic', class: 'M', region: 'EU' };
      expect((await ping(aPing({ nodeId }), 200)).peer).toMatchObject({
        ...kept,
        status: 'online',
      });
      const renamed = await ping(aPing({ nodeId, label: 'cellar', status: 'idle' }), 200);
      expect(renamed.peer).toMatchObject({ ...kept, label: 'cellar', status: 'idle' });
      const grown = await ping(aPing({ nodeId, class: 'L' }), 200);
      expect(grown.peer).toMatchObject({
        label: 'cellar',
        class: 'L',
        region: 'EU',
        status: 'online',
      });
    });

    test('a region that was never sent follows from the rounded place; ZZ is where no land is, or what was sent', async () => {
      const [nodeId, silent, said] = [freshId(), freshId(), freshId()];
      const at = async (lat: number, lng: number, fields: Json = {}) => {
        const body = { nodeId, lat, lng, ...fields };
        const answer: Json = await (await server.post(PATH, body)).json();
        return answer.peer.region;
      };
      expect(await at(37.7, -122.4)).toBe('NA');
      expect(await at(52.4, 13.3)).toBe('EU');
      expect(await at(40.1, -29.9)).toBe('ZZ');
      expect(await at(40.1, -29.9, { region: 'SHIP' })).toBe('SHIP');
      expect(await at(52.4, 13.3)).toBe('SHIP');
      expect(await at(-33.9, 151.2, { nodeId: said, region: 'ZZ' })).toBe('ZZ');
      expect(await at(-33.9, 151.2, { nodeId: said })).toBe('ZZ');
      expect(await at(-33.9, 151.2, { nodeId: silent })).toBe('OC');

      // Lists, counts, filters and the places of the map say the same.
      const { stats, peers } = await getJson(server, '/api/mesh');
      expect(peers.find(({ id }: Json) => id === silent).region).toBe('OC');
      const counted = peers.filter(({ region }: Json) => region === 'OC').length;
      expect(stats.byRegion.OC).toBe(counted);
      const filter = { ...NO_FILTER, region: 'OC' };
      const { services } = server;
      expect(services.mesh.list(filter, 1, 100).peers.map(({ id }) => id)).toContain(silent);
      const places = services.mesh.matchingPlaces(filter, () => undefined);
      expect(places).toContainEqual(expect.arrayContaining([-34, 151, 'OC']));
    });

    test('a dropped label keeps the earlier one', async () => {
      const nodeId = freshId();
      await ping(aPing({ nodeId, label: 'attic' }));
      const { peer, dropped } = await ping(aPing({ nodeId, label: '192.0.2.7' }), 200);
      expect({ label: peer.label, dropped }).toEqual({ label: 'attic', dropped: ['label'] });
    });

    test('values are kept between pings that arrive together, too', async () => {
      const nodeId = freshId();
      await Promise.all([
        server.post(PATH, aPing({ nodeId, class: 'L' })),
        server.post(PATH, aPing({ nodeId, region: 'AS' })),
        server.post(PATH, aPing({ nodeId, label: 'together' })),
        ...Array.from({ length: 5 }, () => server.post(PATH, aPing({ nodeId }))),
      ]);
      expect(await onTheMap(nodeId)).toMatchObject({ class: 'L', region: 'AS', label: 'together' });
    });
  });

  describe('coordinates', () => {
    test.each([
      [37.7, -122.4, 37.5, -122.5],
      [0, 0, 0, 0],
      [-0.1, -0.1, 0, 0],
      [0.24, 0.26, 0, 0.5],
      [51.4779, -0.0015, 51.5, 0],
      [-33.8688, 151.2093, -34, 151],
      [90, 180, 90, -180],
      [-90, -180, -90, -180],
      [89.9, 179.9, 90, -180],
      [12, 179.5, 12, 179.5],
      [12, -179.8, 12, -180],
    ])('%d, %d is stored and shown as %d, %d', async (lat, lng, shownLat, shownLng) => {
      const { peer } = await ping(aPing({ lat, lng }));
      expect([peer.lat, peer.lng]).toEqual([shownLat, shownLng]);
      expect(Object.is(peer.lat, -0) || Object.is(peer.lng, -0)).toBe(false);
      expect(await onTheMap(peer.id)).toMatchObject({ lat: shownLat, lng: shownLng });
    });

    test('the exact position is in no answer and no log line', async () => {
      // Digits that no timestamp and hardly any metric contains.
      const nodeId = freshId();
      const answer = await server.post(PATH, aPing({ nodeId, lat: 78.8583701, lng: 172.2944813 }));
      await server.post(PATH, aPing({ nodeId, lat: 78.8583701, lng: 172.2944813, class: 'bad' }));
      const seen = [
        await answer.text(),
        await (await server.get('/api/mesh')).text(),
        await (await server.get('/metrics')).text(),
        server.log(),
      ].join('\n');
      expect(seen).not.toMatch(/78\.858|172\.294/);
    });
  });

  describe('labels', () => {
    test.each([
      ['garage', 'garage'],
      ['Mac mini #2 (attic) & more, +1', 'Mac mini #2 (attic) & more, +1'],
      ["O'Brien's node_1-a.", "O'Brien's node_1-a."],
      ['Köln Ñandú', 'Köln Ñandú'],
      ['東京ノード ７', '東京ノード 7'],
      ['Москва-1', 'Москва-1'],
      ['हिन्दी', 'हिन्दी'],
      ['  much   space  ', 'much space'],
      ['<b>bold</b> name', 'bold name'],
      ['hi<script>alert(1)</script>', 'hi'],
      ['hi<SCRIPT SRC=//x>alert(1)</SCRIPT >there', 'hithere'],
      ['a<scr<script></script>ipt>b', 'ab'],
      ['x<img src=y onerror=alert(1)>', 'x'],
      ['end<img src=x', 'end'],
      ['javascript:node', 'node'],
      ['java\u0000script:node', 'node'],
      ['new\r\nline\ttab', 'newlinetab'],
      ['left\u202Eright\u2066x\u200B', 'leftrightx'],
      ['\uFEFFmark', 'mark'],
      ['v1.2', 'v1.2'],
      ['rack 10.2 row 3', 'rack 10.2 row 3'],
      ['smile 😀!', 'smile'],
    ])('%j is published as %j', async (label, shown) => {
      const { peer, dropped } = await ping(aPing({ label }));
      expect({ label: peer.label, dropped }).toEqual({ label: shown, dropped: [] });
      expect((await onTheMap(peer.id)).label).toBe(shown);
    });

    test.each([
      '192.168.1.20',
      'garage 192.168.1.20',
      'garage (10.0.0.1)',
      '１９２.１６８.１.２０',
      '192。168。1。20',
      '192.168<b></b>.1.20',
      '192.168.1\u200B.20',
      '203.0.113.7:8080',
      'ip-203-0-113-7',
      '2001:db8::7',
      'fe80::1',
      '::1',
      'node.example.com',
      'Node.Example.COM',
      'my-nas.local',
      'http://node.example.com/x',
      'user@mail.example.com',
      'bücher.example',
      'пример.рф',
      'xn--bcher-kva.example',
      'localhost',
      'at LOCALHOST 3000',
      'host.exa<i></i>mple.com',
      '<script>only</script>',
      '',
      '   ',
      '\u202E',
      '😀',
    ])('%j is never published: the label is dropped, the ping accepted', async (label) => {
      const { peer, dropped } = await ping(aPing({ label }));
      expect({ label: peer.label, dropped }).toEqual({ label: peer.id, dropped: ['label'] });
      expect((await onTheMap(peer.id)).label).toBe(peer.id);
    });

    test('a label has at most 64 characters, counted as people count them', async () => {
      expect((await ping(aPing({ label: 'x'.repeat(64) }))).peer.label).toBe('x'.repeat(64));
      // Outside the basic multilingual plane: two code units each.
      expect((await ping(aPing({ label: '𠀀'.repeat(64) }))).peer.label).toBe('𠀀'.repeat(64));
      expect((await ping(aPing({ label: `<b>${'x'.repeat(64)}</b>` }))).dropped).toEqual([]);
      await refused(aPing({ label: 'x'.repeat(65) }), 'label');
    });

    test('a label with markup has at most 256 UTF-16 code units, and is refused before it is cleaned', async () => {
      const marked = (length: number) => `<b ${' '.repeat(length - 10)}>garage`;
      expect((await ping(aPing({ label: marked(256) }))).peer.label).toBe('garage');
      await refused(aPing({ label: marked(257) }), 'label');
    });

    test('brackets in brackets go, and their words stay', async () => {
      const nested = '<'.repeat(80) + 'b>'.repeat(20);
      expect((await ping(aPing({ label: nested }))).peer.label).toBe('b'.repeat(19));
      const { peer } = await ping(aPing({ label: 'expexpression(ression(alert' }));
      expect(peer.label).toBe('expressionalert');
    });
  });

  describe('ids that could cause harm', () => {
    test.each([
      '__proto__',
      'constructor',
      'toString',
      'hasOwnProperty',
      'valueOf',
      'undefined',
      'null',
    ])('%s is an ordinary id', async (nodeId) => {
      const first = await ping(aPing({ nodeId, region: 'EU' }), 201);
      expect(first.peer.id).toBe(nodeId);
      const again = await ping(aPing({ nodeId }), 200);
      expect(again.peer.joinedAt).toBe(first.peer.joinedAt);
      expect(await onTheMap(nodeId)).toEqual(again.peer);
    });
  });

  describe('time', () => {
    test('joinedAt never changes and lastSeen never goes back, even if the clock does', async () => {
      const nodeId = freshId();
      const { peer } = await ping(aPing({ nodeId }));
      clock.advance(10_000);
      const later = (await ping(aPing({ nodeId }), 200)).peer;
      expect(later).toMatchObject({ joinedAt: peer.joinedAt, lastSeen: clock.iso() });
      clock.advance(-25_000);
      const back = (await ping(aPing({ nodeId, status: 'idle' }), 200)).peer;
      clock.advance(25_000);
      expect(back).toMatchObject({ joinedAt: peer.joinedAt, lastSeen: later.lastSeen });
      expect(await onTheMap(nodeId)).toEqual({ ...back, status: 'idle' });
    });
  });

  describe('concurrent pings', () => {
    test('of 40 first pings of one node, exactly one is new', async () => {
      const nodeId = freshId();
      const answers = await Promise.all(
        Array.from({ length: 40 }, () => server.post(PATH, aPing({ nodeId }))),
      );
      const bodies: Json[] = await Promise.all(answers.map((answer) => answer.json()));
      expect(answers.map(({ status }) => status).sort()).toEqual([...Array(39).fill(200), 201]);
      expect(bodies.filter(({ isNew }) => isNew)).toHaveLength(1);
      expect(new Set(bodies.map(({ peer }) => peer.joinedAt)).size).toBe(1);
      for (const [at, { isNew }] of bodies.entries())
        expect(answers[at]?.status).toBe(isNew ? 201 : 200);
    });

    test('several pings each of many nodes: none is lost', async () => {
      const nodes = Array.from({ length: 60 }, () => freshId('many'));
      // Neighbouring requests in opposite order of id, the most likely to deadlock.
      const bodies = [...nodes, ...[...nodes].reverse(), ...nodes].map((nodeId, at) =>
        aPing({ nodeId, lat: at % 90, region: `R${at % 7}` }),
      );
      const answers = await Promise.all(bodies.map((body) => server.post(PATH, body)));
      expect(answers.filter(({ status }) => status === 201)).toHaveLength(nodes.length);
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(nodes.length * 2);
      const { peers } = await getJson(server, '/api/mesh');
      const shown = new Set(peers.map((peer: Json) => peer.id));
      expect(nodes.filter((id) => !shown.has(id))).toEqual([]);
    });

    test('over many pings of one node lastSeen only grows', async () => {
      const nodeId = freshId();
      await ping(aPing({ nodeId }));
      const seen: string[] = [];
      for (let round = 0; round < 5; round++) {
        const answers = Array.from({ length: 8 }, () => {
          clock.advance(7);
          return server.post(PATH, aPing({ nodeId }));
        });
        await Promise.all(answers);
        seen.push((await onTheMap(nodeId)).lastSeen);
      }
      expect(seen).toEqual([...seen].sort());
      expect(new Set(seen).size).toBe(seen.length);
      expect(seen.at(-1)).toBe(clock.iso());
    });
  });
});

describe('COORDINATE_GRID', () => {
  describeContract('a grid of 0.7 degrees', { env: { COORDINATE_GRID: '0.7' } }, ({ server }) => {
    test('rounds positions, and longitudes 180 and -180 stay the same', async () => {
      const at = async (lat: number, lng: number) => {
        const { peer } = await postJson(server, PATH, aPing({ lat, lng }), 201);
        return [peer.lat, peer.lng];
      };
      expect(await at(1, 1.3)).toEqual([0.7, 1.4]);
      expect(await at(0, 180)).toEqual(await at(0, -180));
      const [lat, lng] = await at(90, -180);
      expect(lat).toBeLessThanOrEqual(90);
      expect(lng).toBeGreaterThanOrEqual(-180);
      expect(JSON.stringify((await getJson(server, PATH)).filters)).toContain('0.7');
    });
  });
});
