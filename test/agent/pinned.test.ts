import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { nodeKeyFromPem, nodeKeyText } from '@mesh-registry/protocol/keys/node-key.ts';
import { planFleet, simulatedKey } from '../../scripts/fleet/plan.ts';
import type { FleetProgress } from '../../scripts/fleet/progress.ts';
import { seededRandom } from '../../scripts/fleet/random.ts';
import { runFleet } from '../../scripts/fleet/run.ts';
import { startFaultProxy, type FaultProxy } from '../support/fault-proxy.ts';
import { pin } from '../support/node-keys.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';
import { buildAgent, hurry, startAgentProcess, type AgentProcess } from './agent-process.ts';

/** Running agents of nodes whose key an accepted registration has pinned. */

const SECRET = 'the-secret';

const home = temporaryDirectory();
let program: string;
let service: TestServer;
let proxy: FaultProxy;
beforeAll(async () => {
  // Nobody has sent anything before it leads to the service.
  proxy = await startFaultProxy('http://127.0.0.1:1', { edit: hurry });
  [program, service] = await Promise.all([
    buildAgent(join(home.path, 'program')),
    startTestServer({
      env: { WEBHOOK_SECRET: SECRET, RATE_LIMITS: 'off', PUBLIC_URL: proxy.url },
    }),
  ]);
  proxy.redirect(service.url);
});
afterAll(async () => {
  proxy.stop();
  await service.stop();
  home.remove();
});

let agents = 0;

async function onTheMap(nodeId: string): Promise<AgentProcess> {
  const agent = startAgentProcess({
    program,
    folder: join(home.path, `agent-${++agents}`),
    url: proxy.url,
    nodeId,
    secret: SECRET,
  });
  onTestFinished(async () => void (await agent.stop()));
  await agent.told('on_the_map');
  return agent;
}

const keyOf = ({ keyFile }: AgentProcess) => nodeKeyFromPem(readFileSync(keyFile, 'utf8'));

/** A heartbeat that began after this call has been accepted. */
async function isHeard({ status }: AgentProcess): Promise<void> {
  const since = new Date().toISOString();
  await until(
    'A heartbeat is accepted',
    async () => ((await status()).status.heartbeats?.lastAcceptedAt ?? '') > since,
  );
}

it('Of two agents with one id, both are heard until it is registered; then only the one that proved it', async () => {
  const [owner, other] = [await onTheMap('node_twice'), await onTheMap('node_twice')];
  await Promise.all([isHeard(owner), isHeard(other)]);
  await pin(service, 'node_twice', keyOf(owner));
  const { message } = await other.told('fault_signature_required');
  expect(message).toContain('pinned to another key');
  const { exitCode, status } = await other.status();
  expect(exitCode).toBe(1);
  expect(status.heartbeats?.fault?.kind).toBe('signature_required');
  await isHeard(owner);
  expect(owner.events().filter(({ event }) => event.startsWith('fault_'))).toEqual([]);
});

it('The key of a running agent is rotated again and again while hundreds of nodes sign', async () => {
  const agent = await onTheMap('node_rotating');
  await pin(service, 'node_rotating', keyOf(agent));
  const ending = new AbortController();
  const plan = planFleet({ nodes: 300, computes: 30, seed: 5 });
  let last: FleetProgress | undefined;
  const fleet = runFleet({
    url: proxy.url,
    plan,
    intervalMs: 3000,
    secret: SECRET,
    keyOf: (nodeId) => simulatedKey(5, nodeId),
    signal: ending.signal,
    random: seededRandom(5, 'lifecycle'),
    onProgress: (progress) => (last = progress),
  });
  const keys = [nodeKeyText(keyOf(agent))];
  for (let turn = 0; turn < 4; turn++) {
    const { exitCode, answer } = await agent.rotateIdentity();
    expect(answer.error).toBeUndefined();
    expect(exitCode).toBe(0);
    keys.push(answer.key ?? '');
    await isHeard(agent);
    expect((await agent.status()).status).toMatchObject({
      heartbeats: { fresh: true, fault: null },
      node: { key: answer.key },
    });
  }
  expect(new Set(keys).size).toBe(5);
  const pinned = await (await service.get('/api/mesh/nodes/node_rotating/key')).json();
  expect(pinned).toMatchObject({ key: keys.at(-1), source: 'rotation' });
  await until('All nodes have joined', () => last?.nodes.joining === 0);
  ending.abort();
  const refused = Object.keys((await fleet).errors).filter((error) => error.startsWith('401'));
  expect(refused).toEqual([]);
});
