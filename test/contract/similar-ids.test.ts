import { expect, test } from 'vitest';
import { generateNodeKey } from '@mesh-registry/protocol/keys/node-key.ts';
import { pin, sendSigned } from '../support/node-keys.ts';
import {
  aCompute,
  activeName,
  aPing,
  aStart,
  describeContract,
  freshId,
  getJson,
  postJson,
} from './contract.ts';

const PING = '/api/mesh/ping';
const REGISTER = '/api/registry/register';

describeContract('ids that differ in the case of letters only', {}, ({ server, clock }) => {
  test('are different nodes, and whatever names one of them says so', async () => {
    const id = freshId('Node');
    const other = id.toLowerCase();
    await postJson(server, PING, aPing({ nodeId: id }), 201);
    const { id: alone, notices } = await postJson(server, REGISTER, aStart({ nodeId: id }), 201);
    expect(notices ?? []).toEqual([]);
    await postJson(server, PING, aPing({ nodeId: other }), 201);

    const page = await (await server.get(`/nodes/${other}`)).text();
    expect(page).toContain(`href="/nodes/${id}"`);
    expect(page).toContain('upper and lower case');
    const started = await postJson(server, REGISTER, aStart({ nodeId: other }), 201);
    expect(started.notices.join()).toContain(`“${id}”`);
    const record = await getJson(server, `${REGISTER}?id=${alone}`);
    expect(record.notices.join()).toContain(`“${other}”`);
    const { name } = await activeName(server, { nodeId: id });
    expect(await (await server.get(`/registry/${name}`)).text()).toContain(
      `href="/nodes/${other}"`,
    );
    const wizard = await (
      await server.get(`/register?step=node&name=${freshId('name')}&node=${other}`)
    ).text();
    expect(wizard).toContain(id);
    expect(wizard).toContain('upper and lower case');
  });

  test('also of nodes that only announce, that are pinned, or that have an active name', async () => {
    const [a, b, c] = [freshId('Only'), freshId('Key'), freshId('Named')];
    await postJson(server, '/api/registry/computes', { nodeId: a, computes: [aCompute()] }, 200);
    const key = generateNodeKey();
    await pin(server, b, key);
    await sendSigned(server, PING, { body: aPing({ nodeId: b }), key, now: clock.now });
    await activeName(server, { nodeId: c });
    for (const id of [a, b, c]) {
      const nodeId = id.toLowerCase();
      const { notices } = await postJson(server, REGISTER, aStart({ nodeId }), 201);
      expect(notices.join()).toContain(`“${id}”`);
    }
  });

  test('attack: of many, a few are named and the others counted; none that is blocked or hidden', async () => {
    const small = `crowdednode${freshId().toLowerCase()}`;
    const others = Array.from(
      { length: 9 },
      (_, n) => small.slice(0, n) + small.charAt(n).toUpperCase() + small.slice(n + 1),
    );
    for (const nodeId of others) await postJson(server, PING, aPing({ nodeId }), 201);
    const [blocked = '', hidden = ''] = others;
    await server.services.nodes.block({ nodeId: blocked, reviewer: 'ada', reason: 'test' });
    const removed = await server.get(`/api/mesh/nodes/${hidden}`, { method: 'DELETE' });
    expect(removed.status).toBe(200);

    const more = others.length - 2 - 5;
    const similar = server.services.nodes.similarTo(small);
    expect(similar.count).toBe(others.length - 2);
    expect(similar.ids).toHaveLength(5);
    const page = await (await server.get(`/nodes/${small}`)).text();
    expect(others.filter((id) => page.includes(`href="/nodes/${id}"`))).toEqual(similar.ids.sort());
    const { notices } = await postJson(server, REGISTER, aStart({ nodeId: small }), 201);
    expect(notices.join()).toContain(`and ${more} more.`);
    expect(notices.join()).not.toContain(blocked);
  });

  test('a node that is removed is no longer named', async () => {
    const id = freshId('Gone');
    await postJson(server, PING, aPing({ nodeId: id }), 201);
    await server.services.nodes.removeMatching({
      filter: { match: id, silentSince: '' },
      expected: 1,
      reason: 'test',
      reviewer: 'ada',
    });
    const started = await postJson(server, REGISTER, aStart({ nodeId: id.toLowerCase() }), 201);
    expect(started.notices ?? []).toEqual([]);
  });
});
