import fc from 'fast-check';
import type { KeyObject } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { generateNodeKey, nodeKeyText } from '@mesh-registry/protocol/keys/node-key.ts';
import { signNodeProof, signRequest } from '@mesh-registry/protocol/keys/node-signature.ts';
import { accept, PAID_OTHERWISE, reject, statusChanges } from '../support/decisions.ts';
import {
  aCompute,
  activeName,
  aPing,
  aStart,
  describeContract,
  expectError,
  freshId,
  getJson,
  postJson,
  type Json,
} from './contract.ts';

const PATH = '/api/registry/register';
const ADA = 'ada@example.org';

describeContract('registrations proved by the key of their node', {}, (setup) => {
  const { server, clock } = setup;
  const key = generateNodeKey();
  const other = generateNodeKey();

  const proofOf = (
    action: 'start' | 'confirm' | 'cancel',
    { name, nodeId, id = '' }: Json,
    by: KeyObject = key,
  ) =>
    signNodeProof(
      action === 'start'
        ? { action, network: server.url, name, nodeId }
        : { action, network: server.url, name, nodeId, id },
      by,
      clock.read(),
    );
  /** A heartbeat of the node, signed by a key or not. */
  const beat = async (nodeId: string, by?: KeyObject) => {
    const ping = aPing({ nodeId });
    const sent = await (by
      ? signed('POST', '/api/mesh/ping', by, ping)
      : server.post('/api/mesh/ping', ping));
    expect([200, 201]).toContain(sent.status);
  };
  /** Has this key sign the heartbeats of a node that nothing was heard of. */
  const enliven = async (nodeId: string, by: KeyObject = key) => {
    if (!server.services.identity.lastSigner(nodeId)) await beat(nodeId, by);
  };
  /** Starts a registration that is proved, of a node that this key signs for. */
  const start = async (fields: Json = {}, by: KeyObject = key): Promise<Json> => {
    const body = aStart(fields);
    await enliven(body.nodeId, by);
    return postJson(server, PATH, { ...body, proof: proofOf('start', body, by) }, 201);
  };
  /** Without a proof, of a node that nothing was heard of. */
  const startSilent = (fields: Json = {}): Promise<Json> =>
    postJson(server, PATH, { label: 'plain', class: 'S', region: 'ZZ', ...aStart(fields) }, 201);
  /** Without a proof, of a node that the key signs for. */
  const startPlain = async ({ nodeId = freshId() }: Json = {}): Promise<Json> => {
    await enliven(nodeId);
    return startSilent({ nodeId });
  };
  const act = (action: 'confirm' | 'cancel', registration: Json, by?: KeyObject) =>
    server.post(PATH, {
      action,
      id: registration.id,
      ...(by && { proof: proofOf(action, registration, by) }),
    });
  const read = (id: string) => getJson(server, `${PATH}?id=${id}`);
  /** A request that a key has signed. */
  const signed = (method: 'GET' | 'POST', path: string, by: KeyObject, json?: Json) => {
    const url = new URL(path, server.url);
    const body = json === undefined ? null : JSON.stringify(json);
    return fetch(url, {
      method,
      body,
      headers: {
        ...(body !== null && { 'content-type': 'application/json' }),
        ...signRequest({ method, url, body }, by, clock.read()),
      },
    });
  };
  const registrationsPath = (nodeId: string) => `/api/mesh/nodes/${nodeId}/registrations`;
  const claim = ({ nodeId, id }: Json, by: KeyObject = key) =>
    signed('POST', registrationsPath(nodeId), by, { id });
  const pinOf = (nodeId: string) => server.services.identity.pinOf(nodeId)?.key;
  const confirmAndAccept = async ({ id }: Json) => {
    await postJson(server, PATH, { action: 'confirm', id }, 200);
    await accept(server.services, { id, reviewer: ADA });
  };
  const reasons = async (id: string) =>
    (await statusChanges(server.services, id)).map(({ reason }) => reason);

  test('without a proof and without a notice, the record has nothing about them', async () => {
    const started = await startSilent();
    expect(Object.keys(started)).toEqual([
      ...['ok', 'id', 'name', 'label', 'class', 'region', 'nodeId', 'kinds', 'status'],
      ...['paymentNote', 'feeUsd', 'payUrl', 'createdAt', 'updatedAt', 'expiresAt'],
      ...['rejectionReason', 'endedBy', 'cashConfirmGiven', 'pageUrl'],
    ]);
  });

  describe('POST start with a proof', () => {
    test('is proved, and the history says so; nothing is pinned before a reviewer accepts it', async () => {
      const registration = await start();
      const { id, nodeId } = registration;
      expect(registration).toMatchObject({ nodeProved: true, notices: [] });
      expect(await read(id)).toEqual(registration);
      expect(await reasons(id)).toEqual(['proved by the node’s key']);
      expect(pinOf(nodeId)).toBeUndefined();
      await confirmAndAccept(registration);
      expect(pinOf(nodeId)).toBe(nodeKeyText(key));
      expect(await read(id)).toMatchObject({ status: 'active', nodeProved: true, notices: [] });
    });

    test('counts only if every field agrees with the request', async () => {
      const field = fc.constantFrom('network', 'name', 'nodeId', 'action', 'created', 'signature');
      await fc.assert(
        fc.asyncProperty(field, fc.stringMatching(/^[a-z0-9]{2,12}$/), async (changed, text) => {
          const body = aStart();
          const right: Json = { ...body, network: server.url };
          const signing: Json = {
            action: 'start',
            network: right.network,
            name: body.name,
            nodeId: body.nodeId,
            ...(changed === 'action' && { action: 'cancel', id: `reg_${'x'.repeat(24)}` }),
            ...(['network', 'name', 'nodeId'].includes(changed) && { [changed]: text }),
          };
          const at = clock.read() + (changed === 'created' ? 301_000 : 0);
          const proof = signNodeProof(signing, key, at);
          const [signature] = proof.signatures;
          if (changed === 'signature' && signature) signature.keyid = nodeKeyText(other);
          await expectError(
            server,
            await server.post(PATH, { ...body, proof }),
            401,
            'signature_invalid',
          );
          // Nothing was stored: the name is free.
          expect((await getJson(server, `${PATH}?name=${body.name}`)).available).toBe(true);
        }),
        { numRuns: 20 },
      );
    });

    test('a malformed proof names the field', async () => {
      const proof = proofOf('start', aStart());
      for (const [wrong, field] of [
        ['text', 'proof'],
        [{ ...proof, payload: 'not base64!' }, 'proof.payload'],
        [{ ...proof, signatures: [] }, 'proof.signatures'],
      ])
        await expectError(
          server,
          await server.post(PATH, aStart({ proof: wrong })),
          400,
          'invalid_body',
          [field as string],
        );
    });

    test('is accepted once, or again as a retry with the same Idempotency-Key', async () => {
      const body = aStart();
      const request = { ...body, proof: proofOf('start', body) };
      const send = (idempotencyKey?: string) =>
        server.post(PATH, request, {
          ...(idempotencyKey && { headers: { 'idempotency-key': idempotencyKey } }),
        });
      const [first, retry] = await Promise.all([
        send('a-key-of-its-own'),
        send('a-key-of-its-own'),
      ]);
      expect(first.status).toBe(201);
      const registration: Json = await first.json();
      expect(await retry.json()).toEqual(registration);
      await postJson(server, PATH, { action: 'cancel', id: registration.id }, 200);
      // Its name is free again, and somebody has seen the proof.
      for (const idempotencyKey of ['another-key', undefined])
        await expectError(server, await send(idempotencyKey), 401, 'signature_invalid');
    });
  });

  describe('POST confirm with a proof', () => {
    test('proves a registration that was started without', async () => {
      const plain = await startPlain();
      const confirmed = await act('confirm', plain, key);
      expect(confirmed.status).toBe(200);
      const record: Json = await confirmed.json();
      expect(record).toMatchObject({ status: 'pending_review', nodeProved: true, notices: [] });
      expect((await reasons(plain.id)).at(-1)).toBe('proved by the node’s key');
      // Again, by the same key: the same answer. By another one, the first stays.
      expect(await (await act('confirm', plain, key)).json()).toEqual(record);
      await expectError(server, await act('confirm', plain, other), 409, 'invalid_state');
      expect(await read(plain.id)).toEqual(record);
    });

    test('a proof for another registration counts for none', async () => {
      const [one, two] = [await start(), await start()];
      const proof = proofOf('confirm', one);
      const refused = await server.post(PATH, { action: 'confirm', id: two.id, proof });
      await expectError(server, refused, 401, 'signature_invalid');
      expect((await read(two.id)).status).toBe('pending_payment');
    });

    test('late, it revives the registration and proves it', async () => {
      const plain = await startPlain();
      clock.advance(server.services.config.holdMs + 1);
      await beat(plain.nodeId, key);
      expect(await (await act('confirm', plain, key)).json()).toMatchObject({
        status: 'pending_review',
        nodeProved: true,
      });
      expect((await reasons(plain.id)).at(-1)).toBe(
        'confirmed after the payment window, proved by the node’s key',
      );
    });
  });

  describe('POST cancel of a proved registration', () => {
    test('the link is enough while it is unpaid', async () => {
      expect((await act('cancel', await start())).status).toBe(200);
    });

    test.each(['pending_review', 'active'])('needs a proof by its key in %s', async (status) => {
      const registration = await start();
      const { id } = registration;
      if (status === 'active') await confirmAndAccept(registration);
      else await postJson(server, PATH, { action: 'confirm', id }, 200);
      await expectError(server, await act('cancel', registration), 401, 'signature_required');
      await expectError(
        server,
        await act('cancel', registration, other),
        401,
        'signature_required',
      );
      expect((await read(id)).status).toBe(status);
      const proof = proofOf('cancel', registration);
      for (let again = 0; again < 2; again++)
        expect(await postJson(server, PATH, { action: 'cancel', id, proof }, 200)).toMatchObject({
          status: 'rejected',
          rejectionReason: 'cancelled by its operator',
        });
    });

    test('the link is enough once the node is pinned to another key', async () => {
      const nodeId = freshId();
      const registration = await start({ nodeId });
      await postJson(server, PATH, { action: 'confirm', id: registration.id }, 200);
      await confirmAndAccept(await start({ nodeId }, other));
      expect(await read(registration.id)).toMatchObject({ nodeProved: false });
      expect((await act('cancel', registration)).status).toBe(200);
    });
  });

  describe('POST /api/mesh/nodes/:id/registrations', () => {
    test('proves a registration that was started elsewhere, in any status before its end', async () => {
      const plain = await startPlain();
      const claimed: Json = await (await claim(plain)).json();
      expect(claimed).toEqual({
        ...plain,
        updatedAt: claimed.updatedAt,
        nodeProved: true,
        notices: [],
      });
      expect(await (await claim(plain)).json()).toEqual(claimed);
      expect(await reasons(plain.id)).toEqual([null, 'proved by the node’s key']);
      await confirmAndAccept(plain);
      expect(pinOf(plain.nodeId)).toBe(nodeKeyText(key));
    });

    test('of two keys that claim one registration at once, the first one keeps it', async () => {
      const plain = await startPlain();
      const answers = await Promise.all([claim(plain, key), claim(plain, other)]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
      const [winner, loser] = answers[0]?.status === 200 ? [key, other] : [other, key];
      expect((await claim(plain, winner)).status).toBe(200);
      await expectError(server, await claim(plain, loser), 409, 'invalid_state');
    });

    test('refuses what is not signed, unknown, of another node, or has ended', async () => {
      const plain = await startPlain();
      const path = registrationsPath(plain.nodeId);
      await expectError(
        server,
        await server.post(path, { id: plain.id }),
        401,
        'signature_required',
      );
      const unknown = await signed('POST', path, key, { id: `reg_${'x'.repeat(24)}` });
      await expectError(server, unknown, 404, 'not_found');
      const elsewhere = await claim({ nodeId: freshId(), id: plain.id });
      await expectError(server, elsewhere, 400, 'invalid_body', ['id']);
      await expectError(server, await signed('POST', path, key, {}), 400, 'invalid_body', ['id']);
      await reject(server.services, { id: plain.id, reviewer: ADA, reason: 'no payment found' });
      await expectError(server, await claim(plain), 409, 'invalid_state');
    });

    test('a signature for another body or path is refused', async () => {
      const [mine, yours] = [await startPlain(), await startPlain()];
      const url = new URL(registrationsPath(mine.nodeId), server.url);
      const headers = signRequest(
        { method: 'POST', url, body: JSON.stringify({ id: mine.id }) },
        key,
        clock.read(),
      );
      const otherBody = await server.post(url.pathname, { id: yours.id }, { headers });
      await expectError(server, otherBody, 401, 'signature_invalid');
      const otherPath = await server.post(
        registrationsPath(yours.nodeId),
        { id: mine.id },
        { headers },
      );
      await expectError(server, otherPath, 401, 'signature_invalid');
    });

    test('refuses a key that is not the one to which the node is pinned; that one replaces it', async () => {
      const nodeId = freshId();
      const early = await start({ nodeId }, other);
      await confirmAndAccept(await start({ nodeId }));
      await expectError(server, await claim(early, other), 409, 'invalid_state');
      expect(await read(early.id)).toMatchObject({ nodeProved: false });
      expect(await (await claim(early)).json()).toMatchObject({ nodeProved: true, notices: [] });
    });

    test('names that were active before are pinned once the key has proved all of them', async () => {
      const nodeId = freshId();
      const [one, two] = [
        await activeName(server, { nodeId }),
        await activeName(server, { nodeId }),
      ];
      expect((await claim(one)).status).toBe(200);
      expect(pinOf(nodeId)).toBeUndefined();
      // The holder of the other name could have another key.
      expect((await claim(two, other)).status).toBe(200);
      expect(pinOf(nodeId)).toBeUndefined();
      expect((await claim(two)).status).toBe(200);
      expect(pinOf(nodeId)).toBe(nodeKeyText(key));
    });
  });

  describe('GET /api/mesh/nodes/:id/registrations', () => {
    const list = async (nodeId: string, by: KeyObject) => {
      const answer = await signed('GET', registrationsPath(nodeId), by);
      expect(answer.status).toBe(200);
      expect(answer.headers.get('cache-control')).toBe('no-store');
      return await answer.json();
    };

    test('has those that this key has proved, the oldest first, and never those of others', async () => {
      const nodeId = freshId();
      const first = await start({ nodeId });
      clock.advance(1000);
      await start({ nodeId }, other);
      await startPlain({ nodeId });
      await start();
      const second = await startPlain({ nodeId });
      await claim(second);
      const { registrations, ...head } = await list(nodeId, key);
      expect(head).toEqual({ ok: true, nodeId, count: 2 });
      expect(registrations).toEqual([await read(first.id), await read(second.id)]);
      expect(await list(nodeId, generateNodeKey())).toMatchObject({ count: 0, registrations: [] });
    });

    test('tells a reservation that has expired as ended', async () => {
      const { nodeId } = await start();
      clock.advance(server.services.config.holdMs + 1);
      expect((await list(nodeId, key)).registrations).toMatchObject([
        { status: 'rejected', rejectionReason: 'payment window passed', notices: [] },
      ]);
    });

    test('is for a key only', async () => {
      const answer = await server.get(registrationsPath(freshId()));
      await expectError(server, answer, 401, 'signature_required');
    });
  });

  describe('notices', () => {
    const noticesOf = async ({ id }: Json) => (await read(id)).notices as string[] | undefined;

    test('say which active names the node has, to its operator and to reviewers', async () => {
      const nodeId = freshId();
      const names: string[] = [];
      for (let n = 0; n < 6; n++) names.push((await activeName(server, { nodeId })).name as string);
      names.sort();
      const registration = await startSilent({ nodeId });
      const notice = `The node already has the active names ${names
        .slice(0, 5)
        .map((name) => `“${name}”`)
        .join(', ')} and 1 more.`;
      expect(registration).toMatchObject({ nodeProved: false, notices: [notice] });
      expect(await read(registration.id)).toEqual(registration);
      await postJson(server, PATH, { action: 'confirm', id: registration.id }, 200);
      const { items } = await server.services.review.queue({ reviewer: ADA });
      expect(items.find(({ name }) => name === registration.name)).toMatchObject({
        nodeProved: false,
        notices: [notice],
      });
      // Decided, there is nothing left to judge.
      await accept(server.services, { id: registration.id, reviewer: ADA });
      expect(await noticesOf(registration)).toBeUndefined();
    });

    test('leave out the names that the same key has proved', async () => {
      const nodeId = freshId();
      await confirmAndAccept(await start({ nodeId }));
      expect(await start({ nodeId })).toMatchObject({ nodeProved: true, notices: [] });
    });

    test('say that the node is pinned to a key that has not proved this registration', async () => {
      const nodeId = freshId();
      const { name, ...pinned } = await start({ nodeId });
      await confirmAndAccept(pinned);
      const named = `The node already has the active name “${name}”.`;
      expect((await startPlain({ nodeId })).notices).toEqual([
        named,
        'The node is pinned to a key, and that key has not proved this registration.',
      ]);
      const rival = await start({ nodeId }, other);
      expect(rival).toMatchObject({
        nodeProved: false,
        notices: [
          named,
          'The node is pinned to another key than the one that has proved this registration.',
        ],
      });
    });

    test('say that another open registration is proved by the node’s key', async () => {
      const nodeId = freshId();
      const plain = await startPlain({ nodeId });
      const signs = [expect.stringContaining('that key has not proved this registration')];
      expect(plain.notices).toEqual(signs);
      // A stranger's proof speaks against nobody.
      await start({ nodeId }, other);
      expect(await noticesOf(plain)).toEqual(signs);
      const proved = await start({ nodeId });
      expect(proved.notices).toEqual([]);
      expect(await noticesOf(plain)).toEqual([
        ...signs,
        'Another open registration for the node is proved by its key, and this one is not.',
      ]);
      await claim(plain);
      expect(await noticesOf(plain)).toEqual([]);
      expect(await noticesOf(proved)).toEqual([]);
    });
  });

  describe('attack: a stranger’s proof', () => {
    const startUnheard = (nodeId: string, by: KeyObject): Promise<Json> => {
      const body = aStart({ nodeId });
      return postJson(server, PATH, { ...body, proof: proofOf('start', body, by) }, 201);
    };
    const short = (by: KeyObject) => `${nodeKeyText(by).slice(0, 12)}…`;
    const minute = () => `${clock.iso().slice(0, 16).replace('T', ' ')} UTC`;
    const bySigner = (proved: boolean, ...notices: unknown[]) => ({ nodeProved: proved, notices });

    test('for a node whose heartbeats another key signs says so, with the evidence, until its own key signs', async () => {
      const nodeId = freshId();
      await beat(nodeId, key);
      const first = minute();
      clock.advance(120_000);
      await beat(nodeId, key);
      const { id } = await startUnheard(nodeId, other);
      const notice = `The heartbeats of this node are signed by another key (${short(key)}, first seen ${first}, last seen ${minute()}) than the one that proved this registration (${short(other)}).`;
      expect(await read(id)).toMatchObject(bySigner(false, notice));
      clock.advance(20_000);
      const since = minute();
      await beat(nodeId, other);
      const lately = () =>
        `The key that proved this registration signs the heartbeats of this node only since ${since} (last seen ${minute()}). Before that, what it sent was signed by another key (${short(key)}).`;
      expect(await read(id)).toMatchObject(bySigner(false, lately()));
      // One heartbeat alone never proves anything.
      clock.advance(60_000);
      expect((await read(id)).nodeProved).toBe(false);
      await beat(nodeId, other);
      // The owner may be off: for a day, the evidence stays.
      expect(await read(id)).toMatchObject(bySigner(true, lately()));
      // The owner is back.
      await beat(nodeId, key);
      expect(await read(id)).toMatchObject(bySigner(false, expect.stringContaining(short(key))));
    });

    test('for a node whose heartbeats nobody signs says so', async () => {
      const nodeId = freshId();
      await beat(nodeId);
      const seen = `first seen ${minute()}, last seen ${minute()}`;
      expect(await startUnheard(nodeId, other)).toMatchObject(
        bySigner(
          false,
          `The heartbeats of this node are sent unsigned (${seen}), not signed by the key that proved this registration.`,
        ),
      );
    });

    test('counts only while the node runs, and without a notice once its key has signed for a day', async () => {
      const nodeId = freshId();
      await beat(nodeId, key);
      clock.advance(1000);
      const first = minute();
      await beat(nodeId, other);
      clock.advance(86_400_000);
      await beat(nodeId, other);
      const last = minute();
      const { id } = await startUnheard(nodeId, other);
      expect(await read(id)).toMatchObject(bySigner(true));
      clock.advance(300_001);
      expect(await read(id)).toMatchObject(
        bySigner(
          false,
          `The key that proved this registration has signed the heartbeats of this node (first seen ${first}, last seen ${last}), but none has come for five minutes.`,
        ),
      );
    });

    test('is not needed to register a signing node without one, but that gets a notice, and a reviewer is asked', async () => {
      const nodeId = freshId();
      await beat(nodeId, key);
      const first = minute();
      clock.advance(60_000);
      await beat(nodeId, key);
      const plain = await postJson(server, PATH, aStart({ nodeId }), 201);
      const { id, paymentNote: note } = plain;
      const signs = `The heartbeats of this node are signed by a key (${short(key)}, first seen ${first}, last seen ${minute()}), and that key has not proved this registration.`;
      expect(plain).toMatchObject(bySigner(false, signs));
      // An unsigned heartbeat of a stranger doesn't take it away.
      clock.advance(1000);
      await beat(nodeId);
      const signed = `The heartbeats of this node were signed by a key (${short(key)}) until ${minute()}, and that key has not proved this registration.`;
      expect(await read(id)).toMatchObject(bySigner(false, signed));
      await postJson(server, PATH, { action: 'confirm', id }, 200);
      const decision = { note, reviewer: ADA, decision: 'accept', reason: PAID_OTHERWISE } as const;
      await expect(server.services.review.decide(decision)).rejects.toMatchObject({
        issues: [{ path: 'despiteNotices' }],
      });
      clock.advance(86_400_000);
      await beat(nodeId);
      expect((await read(id)).notices).toBeUndefined();
      await server.services.review.decide(decision);
      expect((await read(id)).status).toBe('active');
    });

    test('for a node that was never heard of says so; the node’s first heartbeat settles it', async () => {
      const [mine, yours] = [
        await startUnheard(freshId(), key),
        await startUnheard(freshId(), other),
      ];
      const unheard = expect.stringContaining('This node has never sent a heartbeat');
      for (const each of [mine, yours]) expect(each).toMatchObject(bySigner(false, unheard));
      for (const { nodeId } of [mine, yours]) await beat(nodeId, key);
      expect(await read(mine.id)).toMatchObject(bySigner(true));
      expect(await read(yours.id)).toMatchObject(
        bySigner(false, expect.stringContaining(short(key))),
      );
    });

    test('doesn’t become the node’s by heartbeats put between those of the node', async () => {
      for (const own of [key, undefined]) {
        const nodeId = freshId();
        await beat(nodeId, own);
        const { id } = await startUnheard(nodeId, other);
        for (let n = 0; n < 6; n++) {
          clock.advance(20_000);
          await beat(nodeId, own);
          clock.advance(1000);
          await beat(nodeId, other);
          clock.advance(18_000);
          expect((await read(id)).nodeProved).toBe(false);
        }
      }
    });

    test('is accepted only by a reviewer who says so', async () => {
      const nodeId = freshId();
      await beat(nodeId, key);
      const { id, paymentNote: note } = await startUnheard(nodeId, other);
      await postJson(server, PATH, { action: 'confirm', id }, 200);
      const decision = { note, reviewer: ADA, decision: 'accept', reason: PAID_OTHERWISE } as const;
      const refusal = await server.services.review
        .decide(decision)
        .catch((error: unknown) => error);
      expect(refusal).toMatchObject({
        code: 'invalid_state',
        message: expect.stringContaining('signed by another key'),
        issues: [{ path: 'despiteNotices' }],
      });
      expect((await read(id)).status).toBe('pending_review');
      await server.services.review.decide({ ...decision, despiteNotices: true });
      expect((await read(id)).status).toBe('active');
    });
  });

  test.each([
    ['unsigned', undefined, 'its announcements are unsigned'],
    ['signed', key, 'its announcements are signed by another key'],
  ])(
    'attack: one heartbeat proves no key of a node that has announced %s ones',
    async (_, by, said) => {
      const nodeId = freshId();
      const announce = async () => {
        const offers = { nodeId, computes: [aCompute()] };
        const path = '/api/registry/computes';
        const sent = await (by ? signed('POST', path, by, offers) : server.post(path, offers));
        expect(sent.status).toBe(200);
      };
      await announce();
      clock.advance(86_400_000);
      await announce();
      await beat(nodeId, other);
      const { id, nodeProved } = await start({ nodeId }, other);
      expect(nodeProved).toBe(false);
      expect((await read(id)).notices.join()).toContain(said);
      // Also once the key has signed for a minute, as long as announcements come.
      for (let n = 0; n < 4; n++) {
        clock.advance(20_000);
        await beat(nodeId, other);
      }
      expect((await read(id)).nodeProved).toBe(false);
      // Once none has come for five minutes, the key signs all there is; what was before is told.
      for (let n = 0; n < 6; n++) {
        clock.advance(60_000);
        await beat(nodeId, other);
      }
      const later = await read(id);
      expect(later.nodeProved).toBe(true);
      expect(later.notices.join()).toContain('only since');
    },
  );

  test('the key that signs both heartbeats and announcements proves at once', async () => {
    const nodeId = freshId();
    const offers = { nodeId, computes: [aCompute()] };
    expect((await signed('POST', '/api/registry/computes', key, offers)).status).toBe(200);
    clock.advance(5000);
    await beat(nodeId, key);
    const { id, nodeProved } = await start({ nodeId });
    expect(nodeProved).toBe(true);
    expect((await read(id)).notices ?? []).toEqual([]);
  });

  test('of two registrations of one node that are accepted at once, one key is pinned', async () => {
    const nodeId = freshId();
    const [one, two] = [await start({ nodeId }), await start({ nodeId }, other)];
    for (const { id } of [one, two]) await postJson(server, PATH, { action: 'confirm', id }, 200);
    await Promise.all([one, two].map(({ id }) => accept(server.services, { id, reviewer: ADA })));
    const pinned = pinOf(nodeId);
    expect([nodeKeyText(key), nodeKeyText(other)]).toContain(pinned);
    for (const [registration, by] of [
      [one, key],
      [two, other],
    ] as const)
      expect(await read(registration.id)).toMatchObject({
        status: 'active',
        nodeProved: nodeKeyText(by) === pinned,
      });
  });
});
