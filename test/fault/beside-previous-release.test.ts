import { describe, expect, inject, test, vi } from 'vitest';
import { createPostgresDatabase } from '../support/databases.ts';
import {
  hasPreviousRelease,
  PREVIOUS_RELEASE,
  startPreviousRelease,
  type PreviousRelease,
} from '../support/previous-release.ts';
import { startTestServer } from '../support/server.ts';
import { SOON } from '../support/until.ts';

/** Heartbeats, announcements, a registration, a review, a blocked node. */
async function fill(old: PreviousRelease, name: string): Promise<void> {
  await old.call('mesh', 'ping', { nodeId: `node_${name}`, lat: 1, lng: 2, label: name });
  const computes = [{ name: `gpu-${name}`, replicas: 2, freeSlots: 1 }];
  await old.call('computes', 'announce', { nodeId: `node_${name}`, computes });
  const start = {
    name,
    nodeId: `node_${name}`,
    kinds: ['node'],
    label: name,
    class: 'S',
    region: 'EU',
  };
  const options = { idempotencyKey: `key-${name}` };
  const started = await old.call<{ id: string; paymentNote: string }>(
    'registration',
    'start',
    start,
    options,
  );
  await old.call('registration', 'confirm', { id: started.id });
  const decision = { note: started.paymentNote, reviewer: 'ada', decision: 'accept' };
  await old.call('review', 'decide', decision);
  await old.call('nodes', 'block', { nodeId: `bad_${name}`, reviewer: 'ada', reason: 'spam' });
}

describe.skipIf(!hasPreviousRelease())(
  `replacing servers of the previous release, which needs commit ${PREVIOUS_RELEASE.slice(0, 7)} in the clone`,
  () => {
    test('old ones go on beside new ones, and both show what the other writes', async () => {
      const { url, drop } = await createPostgresDatabase(inject('postgresUrl'));
      const env = { DATABASE_URL: url };
      try {
        const old = await startPreviousRelease(env);
        await fill(old, 'before');
        const server = await startTestServer({
          env: { ...env, COMPUTE_LISTING: 'announced', RATE_LIMITS: 'off' },
        });
        try {
          await fill(old, 'beside');
          await vi.waitFor(
            async () =>
              expect(await shown(server)).toEqual({
                peers: ['node_before', 'node_beside'],
                computes: ['gpu-before', 'gpu-beside'],
                names: ['before', 'beside'],
              }),
            SOON,
          );
          const ping = { nodeId: 'node_new', lat: 1, lng: 1 };
          expect((await server.post('/api/mesh/ping', ping)).status).toBe(201);
          await vi.waitFor(
            async () =>
              expect(await old.call('mesh', 'peer', 'node_new')).toMatchObject({ id: 'node_new' }),
            SOON,
          );
          // The old one knows no hidden nodes, and its heartbeats bring them back nevertheless.
          const removed = await server.get('/api/mesh/nodes/node_new', { method: 'DELETE' });
          expect(removed.status).toBe(200);
          expect((await shown(server)).peers).not.toContain('node_new');
          expect(await old.call('mesh', 'ping', ping)).toMatchObject({ isNew: false });
          await vi.waitFor(
            async () => expect((await shown(server)).peers).toContain('node_new'),
            SOON,
          );
        } finally {
          await server.stop();
          await old.stop();
        }
      } finally {
        await drop();
      }
    });
  },
);

type Server = Awaited<ReturnType<typeof startTestServer>>;

async function shown(server: Server) {
  const get = async <Body>(path: string) => (await (await server.get(path)).json()) as Body;
  const { peers } = await get<{ peers: { id: string }[] }>('/api/mesh');
  const { computes } = await get<{ computes: { name: string }[] }>('/api/registry/computes');
  const { entries } = await get<{ entries: { name: string }[] }>('/api/registry');
  return {
    peers: peers.map(({ id }) => id),
    computes: computes.map(({ name }) => name),
    names: entries.map(({ name }) => name),
  };
}
