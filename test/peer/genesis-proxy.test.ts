import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it, onTestFinished } from 'vitest';
import { generateNodeKey, nodeKeyToPem } from '@mesh-registry/protocol/keys/node-key.ts';
import { PublishedTruth } from '@mesh-registry/protocol/truth/truth.schema.ts';
import { Trust } from '@mesh-registry/protocol/truth/trust.ts';
import { buildAgent } from '../agent/agent-process.ts';
import { startAgent } from '../agent/packed.ts';
import { selfSigned } from '../support/certificate.ts';
import { createTestDatabase } from '../support/databases.ts';
import { startFaultProxy } from '../support/fault-proxy.ts';
import { freePort } from '../support/port.ts';
import { endAllServers, startServerProcess } from '../support/server-process.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';
import { networkTruth, ROOT } from './peers.ts';

/** A Genesis host behind an HTTPS proxy, as deploy/genesis/ sets it up, and a service that checks its health. */

afterAll(endAllServers);

it('the service sees Genesis through an HTTPS proxy, which has to prove who it is', async () => {
  const folder = temporaryDirectory();
  onTestFinished(folder.remove);
  const at = (name: string) => join(folder.path, name);
  const [port, healthPort] = [await freePort(), await freePort()];
  writeFileSync(at('identity.key'), nodeKeyToPem(generateNodeKey()), { mode: 0o600 });
  writeFileSync(at('root.json'), JSON.stringify(ROOT));
  writeFileSync(
    at('config.toml'),
    `[service]\nurl = "https://mesh.example.org"\n[node]\nid = "genesis_host"\n[peer]\ntrust = "root.json"\ntruth_file = "truth.json"\nlisten = ["/ip4/127.0.0.1/tcp/${port}"]\n`,
  );
  const program = await buildAgent(at('agent'));
  const peer = startAgent(process.execPath, [
    ...[program, 'peer', '--no-genesis', '--health', `127.0.0.1:${healthPort}`],
    ...['--config', at('config.toml'), '--state', at('state')],
  ]);
  await peer.said('Health at');

  const certificate = selfSigned('localhost', '2020-01-01', '2120-01-01');
  const proxy = await startFaultProxy(`http://127.0.0.1:${healthPort}`, { certificate });
  onTestFinished(() => proxy.stop());
  // As the recipes do it.
  proxy.inject((request, response, forward) =>
    ['/health', '/truth', '/blocks'].includes(request.url?.split('?')[0] ?? '')
      ? forward()
      : void response.writeHead(404).end(),
  );
  writeFileSync(at('authority.pem'), certificate.cert);
  const url = proxy.url.replace('127.0.0.1', 'localhost');
  const direct = (path: string) => fetch(`http://127.0.0.1:${healthPort}${path}`);
  // It has no truth yet, so it has nothing that a peer could rely on.
  expect((await direct('/health')).status).toBe(503);
  writeFileSync(at('truth.json'), JSON.stringify({ roots: [ROOT], truth: networkTruth() }));
  await until('it has read the truth', async () => (await direct('/health')).ok);
  const published = PublishedTruth.parse(await (await direct('/truth')).json());
  expect(Trust.restore(published).truth?.version).toBe(1);
  expect((await direct('/metrics')).status).toBe(200);
  expect([...(await (await direct('/blocks?from=1')).bytes())]).toEqual([]);

  // A service checks when it starts, and then every 10 s: each certificate has a service of its own, so nobody waits.
  const seen = async () => {
    const database = await createTestDatabase();
    onTestFinished(() => database.drop());
    const service = await startServerProcess({
      ...database.env,
      GENESIS_HEALTH_URL: `${url}/health`,
      NODE_EXTRA_CA_CERTS: at('authority.pem'),
    });
    let status = 'unknown';
    await until('it has checked', async () => {
      const response = await fetch(`${service.url}/api/mesh`);
      ({ status } = ((await response.json()) as { genesis: { status: string } }).genesis);
      return status !== 'unknown';
    });
    await service.end('SIGTERM');
    return status;
  };
  expect(await seen()).toBe('online');
  // A proxy that cannot prove who it is may say what it likes.
  proxy.present(selfSigned('localhost', '2020-01-01', '2120-01-01'));
  expect((await direct('/health')).status).toBe(200);
  expect(await seen()).toBe('offline');
});
