import { eq, sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { computes, peers } from '#db/schema/index.ts';
import { createTestDatabase, type TestDatabase } from '../support/databases.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { SOON } from '../support/until.ts';
import {
  aCompute,
  aPing,
  aStart,
  describeContract,
  expectError,
  freshId,
  getJson,
  postJson,
  type Json,
} from './contract.ts';

const PING = '/api/mesh/ping';
const REGISTER = '/api/registry/register';

/** What passes for the bootstrap peer: in other scripts, in other letters, with something invisible in it. */
const LIKE_GENESIS = [
  'Genesis',
  'gEnEsIs',
  'Gеnеsіs',
  'GΕΝΕSΙS',
  'ᏀᎬΝᎬᏚᎥᏚ',
  'ɢᴇɴᴇꜱɪꜱ',
  'ｇｅｎｅｓｉｓ',
  '𝔤𝔢𝔫𝔢𝔰𝔦𝔰',
  'Ⓖⓔⓝⓔⓢⓘⓢ',
  'Génésis',
  'G e n e s i s',
  'G-e-n-e-s-i-s',
  'Gene\u200bsis',
  'Gene\u00adsis',
  'Gene\u3164sis',
  'Gene\u034fsis',
  'Genes1s',
  'GENESlS',
  'Gene5is',
  'Genesis 1',
  '#1 Genesis',
  '(Genesis)',
];
/** An address of a machine, as somebody writes it who wants it to be read. */
const ADDRESSES = [
  '10 . 0 . 0 . 1',
  '10 0 0 1',
  '203.0 113.7',
  'at 203 0 113 7 (home)',
  '0x7f000001',
  '0xA000001',
  '7f000001',
  'C0A80001',
  '2130706433',
  'node 3405803783',
  '１０ ０ ０ １',
  '٢٠٣ ٠ ١١٣ ٧',
  '203·0·113·7',
  '203\u00ad.0.113.7',
  '203\u3164.0.113.7',
  'fe80 :: 1',
  '2001 : db8 : 0 : 1 : 0 : 0 : 0 : 1',
  '7f 00 00 01',
  '203 dot 0 dot 113 dot 7',
];
const ORDINARY = [
  '12345678',
  '20261125',
  'Rack 4, Unit 12',
  'Genesee Garage',
  'Genesis garage',
  'Exogenesis',
  'St. Pauli',
  'Café Zürich',
  'ガレージ 3',
  'Гараж',
  'Διαφάνεια',
  'Node #42 (attic)',
  '10 Downing Street',
  '24 7 Support',
  'R2-D2 & C-3PO',
  "O'Neill's",
  'deadbeef',
  '5551234567',
];

describeContract('labels', {}, ({ server }) => {
  const ping = (label: string, nodeId = freshId()): Promise<Json> =>
    postJson(server, PING, aPing({ nodeId, label }), 201);

  test.each([...LIKE_GENESIS, ...ADDRESSES])('a heartbeat drops “%s”', async (label) => {
    const nodeId = freshId();
    const { dropped, peer } = await ping(label, nodeId);
    expect(dropped).toEqual(['label']);
    expect(peer.label).toBe(nodeId);
  });

  test.each([...LIKE_GENESIS, ...ADDRESSES])('a registration refuses “%s”', async (label) => {
    const refused = await server.post(REGISTER, aStart({ label }));
    await expectError(server, refused, 400, 'invalid_body', ['label']);
  });

  test.each(ORDINARY)('“%s” is published as it is', async (label) => {
    const { dropped, peer } = await ping(label);
    expect(dropped).toEqual([]);
    expect(peer.label).toBe(label);
    expect(await postJson(server, REGISTER, aStart({ label }), 201)).toMatchObject({ label });
  });

  test('one that was stored before the rule gives way to the id with the next heartbeat that sends it', async () => {
    const nodeId = freshId();
    await ping('Barn', nodeId);
    const { live } = server.services.context;
    const row = live.peers.get(nodeId);
    if (!row) throw new Error('The node is not stored.');
    await server.database.db.update(peers).set({ label: 'Genesis' }).where(eq(peers.id, nodeId));
    live.peers.apply([{ ...row, label: 'Genesis', rev: row.rev + 1 }]);
    const { peer } = await postJson(server, PING, aPing({ nodeId, label: 'Genesis' }), 200);
    expect(peer.label).toBe(nodeId);
    // Another label stays when one is dropped.
    await postJson(server, PING, aPing({ nodeId, label: 'Barn' }), 200);
    const kept = await postJson(server, PING, aPing({ nodeId, label: '10 0 0 1' }), 200);
    expect(kept).toMatchObject({ dropped: ['label'], peer: { label: 'Barn' } });
  });

  test('an announcement drops one as well', async () => {
    const nodeId = freshId();
    const announce = { nodeId, label: 'Gеnеsis', computes: [aCompute()] };
    const { computes } = await postJson(server, '/api/registry/computes', announce, 200);
    expect(computes[0].label).toBe(nodeId);
  });
});

describeContract('the label of a registration', {}, ({ server }) => {
  test.each([
    ['The <b>Garage</b>', /HTML/, 'The Garage'],
    ['Garage  2', /^Use letters/, 'Garage 2'],
    ['Ｇarage', /^Use letters/, 'Garage'],
    ['Garage: 2', /^Use letters/, 'Garage 2'],
    ['node.example.com', /address/, undefined],
    ['🚀', /letters/, undefined],
    ['Genesis', /Genesis/, undefined],
    ['x'.repeat(65), /at most 64 characters/, undefined],
  ])('“%s” is refused, and the error says why', async (label, reason, suggestion) => {
    const { issues } = await expectError(
      server,
      await server.post(REGISTER, aStart({ label })),
      400,
      'invalid_body',
      ['label'],
    );
    expect(issues).toEqual([
      {
        path: 'label',
        message: expect.stringMatching(reason),
        ...(suggestion !== undefined && { suggestion }),
      },
    ]);
  });

  test('may be surrounded by blanks, or decomposed: that looks the same', async () => {
    for (const label of ['  Café ', 'Cafe\u0301'])
      expect(await postJson(server, REGISTER, aStart({ label }), 201)).toMatchObject({
        label: 'Café',
      });
  });

  test('follows the node’s heartbeats only where it is left out', async () => {
    const nodeId = freshId();
    await postJson(server, PING, aPing({ nodeId, label: 'Barn' }), 201);
    expect(await postJson(server, REGISTER, aStart({ nodeId }), 201)).toMatchObject({
      label: 'Barn',
    });
  });
});

describeContract('names', {}, ({ server }) => {
  test.each([
    'genesis',
    'Genesis-1',
    'genesis2',
    'genes1s',
    'genesls',
    'gen-esis',
    'g_e_n_e_s_i_s',
    'g3nesis',
    'gene5is',
    '6enesis',
    'my-genesis',
    'genesis-node',
  ])('%s is reserved like genesis', async (name) => {
    const availability = await getJson(server, `${REGISTER}?name=${name}`);
    expect(availability).toMatchObject({ available: false, reason: 'reserved' });
    const refused = await server.post(REGISTER, aStart({ name }));
    await expectError(server, refused, 409, 'name_reserved', ['name']);
  });

  test('an address is no name', async () => {
    const availability = await getJson(server, `${REGISTER}?name=203-0-113-7`);
    expect(availability).toMatchObject({ available: false, reason: 'invalid' });
    const refused = await server.post(REGISTER, aStart({ name: '203-0-113-7' }));
    await expectError(server, refused, 400, 'invalid_body', ['name']);
  });

  test('a node whose ID looks like it is told so, and its reviewers too', async () => {
    const { notices } = await postJson(server, REGISTER, aStart({ nodeId: 'genes1s' }), 201);
    expect(notices).toEqual(['The node’s ID looks like that of Genesis, the bootstrap peer.']);
  });

  test.each(['genesee', 'exogenesis', 'genesis-garage', 'gene', 'genesys', 'sisenge'])(
    '%s is not',
    async (name) => {
      const availability = await getJson(server, `${REGISTER}?name=${name}`);
      expect(availability).toMatchObject({ available: true });
    },
  );
});

describe('labels that were stored before a rule was made', () => {
  let database: TestDatabase;
  const servers: TestServer[] = [];
  const start = async () => {
    const server = await startTestServer({
      env: { ...database.env, COMPUTE_LISTING: 'announced', RATE_LIMITS: 'off' },
    });
    servers.push(server);
    return server;
  };
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(async () => {
    await Promise.all(servers.map((server) => server.stop()));
    await database.drop();
  });

  test('are taken away at the next start, also from the servers that run; others stay as they are', async () => {
    const running = await start();
    const [deceptive, plain] = [freshId(), freshId()];
    for (const nodeId of [deceptive, plain]) {
      await postJson(running, '/api/mesh/ping', aPing({ nodeId, label: 'Our node' }), 201);
      const offers = { nodeId, label: 'Our node', computes: [aCompute()] };
      await postJson(running, '/api/registry/computes', offers, 200);
    }
    const { db } = running.database;
    const { live } = running.services.context;
    for (const [table, its] of [
      [peers, eq(peers.id, deceptive)],
      [computes, eq(computes.nodeId, deceptive)],
    ] as const) {
      const old = { label: 'Genesis', rev: sql`${table.rev} + 1` };
      await db.update(table).set(old).where(its);
    }
    const labels = async (server: TestServer) => {
      const rows: Json[] = [
        ...(await getJson(server, '/api/mesh')).peers,
        ...(await getJson(server, '/api/registry/computes')).computes,
      ];
      return rows.map(({ id, label }) => `${id.split(':')[0]} ${label}`).sort();
    };
    const revOf = () => live.peers.get(plain)?.rev;
    const before = revOf();
    const started = await start();
    const expected = [
      ...[deceptive, deceptive].map((id) => `${id} ${id}`),
      ...[plain, plain].map((id) => `${id} Our node`),
    ].sort();
    expect(await labels(started)).toEqual(expected);
    await vi.waitFor(async () => expect(await labels(running)).toEqual(expected), SOON);
    // A heartbeat without a label brings it back nowhere.
    await postJson(started, '/api/mesh/ping', aPing({ nodeId: deceptive }), 200);
    expect(await labels(started)).toEqual(expected);
    const [row] = await db.select().from(peers).where(eq(peers.id, plain));
    expect(row?.rev).toBe(before);
    expect(running.log() + started.log()).not.toContain('loading everything');
  });
});
