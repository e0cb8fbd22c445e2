import { readFileSync, readdirSync, statSync, writeFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startTestServer, type TestServer } from '../support/server.ts';
import { temporaryDirectory, type TemporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';
import { installPacked, runAgent, startAgent } from './packed.ts';

/** The packed agent, installed into an empty folder, against the real service. */

const ROOT = join(import.meta.dirname, '..', '..');
const SECRET = 'the-secret-of-this-network';

let folder: TemporaryDirectory;
let server: TestServer;
let command: string;
beforeAll(async () => {
  folder = temporaryDirectory();
  [server, command] = await Promise.all([
    startTestServer({ env: { WEBHOOK_SECRET: SECRET } }),
    installPacked(folder.path),
  ]);
});
afterAll(async () => {
  await server.stop();
  folder.remove();
});

interface Peer {
  id: string;
  status: string;
  label: string;
  lat: number;
  lng: number;
}

const peers = async (): Promise<Peer[]> =>
  ((await (await server.get('/api/mesh')).json()) as { peers: Peer[] }).peers;

/** A new configuration. @returns the arguments that select it, and its folder */
async function init(id: string, more: string[] = ['--lat', '37.7', '--lng', '-122.4']) {
  const path = join(folder.path, id);
  const { code, stdout, stderr } = await runAgent(
    command,
    [
      'init',
      ...['--config', join(path, 'config.toml'), '--service', server.url, '--node-id', id],
      ...['--label', 'garage', '--secret-stdin', ...more],
    ],
    { input: `${SECRET}\n` },
  );
  expect(code, stderr).toBe(0);
  expect(stdout).not.toContain(SECRET);
  const config = ['--config', join(path, 'config.toml')];
  return { path, config, args: [...config, '--state', join(path, 'state')] };
}

describe('the package', () => {
  it('is one program without dependencies, source maps, tests, or paths of the machine that made it', () => {
    const path = join(folder.path, 'node_modules', 'mesh-agent');
    expect(
      readdirSync(join(folder.path, 'node_modules')).filter((name) => !name.startsWith('.')),
    ).toEqual(['mesh-agent']);
    expect(readdirSync(path).sort()).toEqual([
      'LICENSE',
      'README.md',
      'THIRD-PARTY-LICENSES',
      'mesh-agent.mjs',
      'package.json',
    ]);
    const manifest = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')) as object;
    for (const key of ['dependencies', 'optionalDependencies', 'peerDependencies', 'scripts'])
      expect(manifest).not.toHaveProperty(key);
    for (const file of readdirSync(path)) {
      const text = readFileSync(join(path, file), 'utf8');
      expect(text).not.toContain(ROOT);
      expect(text).not.toMatch(/sourceMappingURL|\.test\.ts|BEGIN PRIVATE KEY-----\n|vitest/);
    }
    const licences = readFileSync(join(path, 'THIRD-PARTY-LICENSES'), 'utf8');
    for (const name of ['commander', '@clack/prompts', 'smol-toml', 'zod', 'http-message-sig'])
      expect(licences).toMatch(new RegExp(`^${name} \\d`, 'm'));
  });
});

describe('a newcomer', () => {
  it('is on the map after init and run, and status tells it until the end', async () => {
    const { path, config, args } = await init('node_newcomer');
    expect(statSync(join(path, 'identity.key')).mode & 0o777).toBe(0o600);
    expect(statSync(join(path, 'secret')).mode & 0o777).toBe(0o600);
    // What is exact stays with the operator.
    expect(readFileSync(join(path, 'config.toml'), 'utf8')).toMatch(/lat = 37\.5\nlng = -122\.5\n/);
    expect((await runAgent(command, ['status', ...args])).code).toBe(6);

    const agent = startAgent(command, ['run', ...args]);
    await agent.said('on the map');
    await until('it is on the map', async () =>
      (await peers()).some(({ id }) => id === 'node_newcomer'),
    );
    const peer = (await peers()).find(({ id }) => id === 'node_newcomer');
    expect(peer).toMatchObject({ label: 'garage', status: 'online', lat: 37.5, lng: -122.5 });

    const status = await runAgent(command, ['status', '--json', ...args]);
    expect(status.code).toBe(0);
    expect(JSON.parse(status.stdout)).toMatchObject({
      running: true,
      agent: { pid: agent.pid },
      node: { id: 'node_newcomer' },
      heartbeats: { fresh: true, fault: null, published: { lat: 37.5 } },
      announcements: null,
    });
    agent.signal('SIGTERM');
    const { code, stdout } = await agent.ended;
    expect(code).toBe(0);
    expect(stdout).not.toMatch(/[\r\x1b]/);
    expect(stdout).not.toContain(SECRET);
    const after = await runAgent(command, ['status', '--json', ...args]);
    expect(after.code).toBe(6);
    expect(JSON.parse(after.stdout)).toMatchObject({
      running: false,
      lastAcceptedAt: expect.stringMatching(/^20/) as string,
    });
    expect(readdirSync(join(path, 'state'))).toEqual(['state.json']);
    expect((await runAgent(command, ['config', 'show', ...config])).stdout).not.toContain(SECRET);
  });

  it('without --lat and --lng is told what to give, and nothing is written', async () => {
    const file = join(folder.path, 'none', 'config.toml');
    const { code, stderr } = await runAgent(command, [
      'init',
      '--config',
      file,
      '--service',
      server.url,
    ]);
    expect(code).toBe(2);
    expect(stderr).toContain('--lat N --lng N (or --no-map)');
    expect(existsSync(file)).toBe(false);
  });

  it('who does not want to be on the map is not', async () => {
    const { config } = await init('node_hidden', ['--no-map']);
    const { code, stderr } = await runAgent(command, ['run', '--once', ...config]);
    expect(code).toBe(3);
    expect(stderr).toContain('add [map]');
    expect((await peers()).map(({ id }) => id)).not.toContain('node_hidden');
  });

  it('keeps the key when the configuration is replaced', async () => {
    const { path } = await init('node_again');
    const key = readFileSync(join(path, 'identity.key'), 'utf8');
    const again = [
      'init',
      '--config',
      join(path, 'config.toml'),
      '--service',
      server.url,
      '--no-map',
    ];
    expect(await runAgent(command, again)).toMatchObject({ code: 2 });
    expect(await runAgent(command, [...again, '--force'])).toMatchObject({ code: 0 });
    expect(readFileSync(join(path, 'identity.key'), 'utf8')).toBe(key);
  });
});

describe('a dry run', () => {
  it('prints the exact requests without the secret, and sends nothing', async () => {
    const { path, config } = await init('node_dry');
    writeFileSync(
      join(path, 'config.toml'),
      `${readFileSync(join(path, 'config.toml'), 'utf8')}\n[[compute]]\nname = "garage"\nreplicas = 4\nfree_slots = 2\n`,
    );
    const { code, stdout } = await runAgent(command, ['run', '--dry-run', ...config]);
    expect(code).toBe(0);
    const { host } = new URL(server.url);
    expect(stdout).toContain(`POST /api/mesh/ping HTTP/1.1\nhost: ${host}\n`);
    expect(stdout).toContain('\n{"nodeId":"node_dry","lat":37.5,"lng":-122.5,"label":"garage"}\n');
    expect(stdout).toContain('POST /api/registry/computes HTTP/1.1\n');
    expect(stdout).toContain('authorization: Bearer ********\n');
    expect(stdout).toMatch(/^signature: node=:/m);
    expect(stdout).not.toContain(SECRET);
    expect((await peers()).map(({ id }) => id)).not.toContain('node_dry');
  });
});

describe('two agents', () => {
  it('with one state directory: the second says so and ends', async () => {
    const { args } = await init('node_twice');
    const first = startAgent(command, ['run', ...args]);
    await first.said('on the map');
    const second = await runAgent(command, ['run', ...args]);
    expect(second).toMatchObject({ code: 6, stdout: '' });
    expect(second.stderr).toContain('An agent already runs with the state directory');
    // Killed, it leaves its sockets behind; the next one takes over.
    first.signal('SIGKILL');
    await first.ended;
    const third = startAgent(command, ['run', ...args]);
    await third.said('On the map');
    third.signal('SIGINT');
    expect(await third.ended).toMatchObject({ code: 0 });
  });
});

describe('two agents with one id', () => {
  it('and two keys: where the first use pins, the first one stays, and the other is told why', async () => {
    const strict = await startTestServer({
      env: { WEBHOOK_SECRET: SECRET, NODE_KEYS: 'first-use' },
    });
    onTestFinished(() => strict.stop());
    const [mine, stolen] = [await init('node_mine'), await init('node_stolen')];
    for (const { path } of [mine, stolen]) {
      const file = join(path, 'config.toml');
      const text = readFileSync(file, 'utf8').replace('node_stolen', 'node_mine');
      writeFileSync(file, text.replace(server.url, strict.url));
    }
    expect(await runAgent(command, ['run', '--once', ...mine.args])).toMatchObject({ code: 0 });
    const refused = await runAgent(command, ['run', '--once', '--json', ...stolen.args]);
    expect(refused.code).toBe(5);
    expect(JSON.parse(refused.stdout)).toMatchObject({ event: 'fault_signature_required' });
    expect(await runAgent(command, ['run', '--once', ...mine.args])).toMatchObject({ code: 0 });
  });
});

describe('a running agent', () => {
  it('reads its configuration again on SIGHUP, and keeps the old one if that is wrong', async () => {
    const { path, args } = await init('node_reload');
    const agent = startAgent(command, ['run', ...args]);
    await agent.said('on the map');
    const file = join(path, 'config.toml');
    const good = readFileSync(file, 'utf8');
    const line = good.split('\n').indexOf('lat = 37.5') + 1;
    writeFileSync(file, good.replace('lat = 37.5', 'lat = 137.5'));
    agent.signal('SIGHUP');
    await agent.said(
      `The configuration wasn't reloaded: ${file}:${line}: map.lat must be from -90 to 90.`,
    );
    writeFileSync(file, good.replace('lat = 37.5', 'lat = -33.5'));
    agent.signal('SIGHUP');
    await agent.said('at -33.5, -122.5');
    agent.signal('SIGTERM');
    expect(await agent.ended).toMatchObject({ code: 0 });
  });

  it('does not start when others can read its key', async () => {
    const { path, args } = await init('node_open');
    await runAgent('chmod', ['644', join(path, 'identity.key')]);
    const { code, stderr } = await runAgent(command, ['run', ...args]);
    expect(code).toBe(3);
    expect(stderr).toContain(`chmod 600 ${join(path, 'identity.key')}`);
  });

  it.skipIf(!existsSync('/dev/full'))('does not mind a full disk behind its log', async () => {
    const { path, args } = await init('node_full');
    const agent = startAgent('sh', ['-c', 'exec "$0" "$@" > /dev/full', command, 'run', ...args]);
    onTestFinished(async () => {
      agent.signal('SIGTERM');
      expect(await agent.ended).toMatchObject({ code: 0 });
    });
    await until('it is on the map', async () =>
      (await peers()).some(({ id }) => id === 'node_full'),
    );
    const status = await runAgent(command, ['status', '--state', join(path, 'state')]);
    expect(status).toMatchObject({ code: 0 });
  });

  it('that sends once ends with what became of it', async () => {
    const { config, path, args } = await init('node_once');
    expect(await runAgent(command, ['run', '--once', ...args])).toMatchObject({ code: 0 });
    const wrong = { env: { MESH_AGENT_SECRET: 'not-it' } };
    const refused = await runAgent(command, ['run', '--once', '--json', ...config], wrong);
    expect(refused.code).toBe(5);
    expect(JSON.parse(refused.stdout)).toMatchObject({
      level: 'warn',
      event: 'fault_unauthorized',
    });
    const file = join(path, 'config.toml');
    writeFileSync(file, readFileSync(file, 'utf8').replace(server.url, 'http://127.0.0.1:9'));
    expect(await runAgent(command, ['run', '--once', ...args])).toMatchObject({ code: 4 });
  });
});
