import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { PeerStatus } from '@mesh-registry/peer/base/status.ts';
import { NO_BLOCK } from '@mesh-registry/protocol/log/block.schema.ts';
import { PublishedTruth } from '@mesh-registry/protocol/truth/truth.schema.ts';
import type { Check } from '@mesh-registry/agent/terminal/check.ts';
import { buildAgent } from '../agent/agent-process.ts';
import { iso } from '../support/network-truth.ts';
import { startHttpServer } from '../support/http-server.ts';
import { freePort } from '../support/port.ts';
import { temporaryDirectory, type TemporaryDirectory } from '../support/temporary-directory.ts';
import { hasTerminal, startInTerminal } from '../support/terminal.ts';
import { until } from '../support/until.ts';
import { aNode } from './nodes.ts';
import { networkTruth, ROOT } from './peers.ts';

/** What an operator sees of a running `mesh-agent peer`: status, health, metrics, the live view, and doctor. */

let folder: TemporaryDirectory;
let program: string;
beforeAll(async () => {
  folder = temporaryDirectory();
  program = await buildAgent(folder.path);
});
afterAll(() => folder.remove());

type Node = Awaited<ReturnType<typeof aNode>>;

interface NetworkOptions {
  health?: string[];
  service?: string;
}

/** A Genesis that has a truth, and a node that is connected with it. */
async function network({ health = [] as string[], service }: NetworkOptions = {}) {
  const genesis = await aNode(program, 'truth_file = "truth.json"\n');
  const publish = (fields: Parameters<typeof networkTruth>[0]) => {
    const text = JSON.stringify({ roots: [ROOT], truth: networkTruth(fields) });
    writeFileSync(genesis.at('truth.json'), text);
    return text;
  };
  publish({ version: 1 });
  const first = genesis.start('--no-genesis', '--json', ...health);
  await first.said('"event":"started"');
  const node = await aNode(program, `genesis = ["${genesis.address}"]\n`, service);
  return { genesis, first, node, publish };
}

const isReady = async (node: Node) => {
  const { sessions, truth } = await node.status().catch(() => ({ sessions: [], truth: null }));
  return truth !== null && sessions.length === 1 && sessions[0]?.rtt !== null;
};

async function doctor(node: Node) {
  const { stdout } = await node.command('doctor', '--json');
  const { checks } = JSON.parse(stdout) as { checks: Check[] };
  const of = (...names: string[]) =>
    checks.filter(({ name }) => names.includes(name)).map(({ name, level }) => `${name} ${level}`);
  return { of, find: (name: string) => checks.find((check) => check.name === name) };
}

it('status, health and metrics tell the same', async () => {
  const port = await freePort();
  const { genesis, first, node } = await network({
    health: ['--health', `127.0.0.1:${port}`],
  });
  await first.said('"event":"health"');
  const second = node.start('--json');
  await second.said('"event":"started"');
  await until('both are connected', async () => (await isReady(genesis)) && (await isReady(node)));
  const url = `http://127.0.0.1:${port}`;
  const health = await fetch(`${url}/health`);
  expect(health.status).toBe(200);
  expect(await health.json()).toEqual({
    ok: true,
    network: 'mesh.example.org',
    protocol: 1,
    truth: 1,
    height: 0,
    block: NO_BLOCK,
    peers: 1,
  });
  const { truth } = PublishedTruth.parse(await (await fetch(`${url}/truth`)).json());
  expect(truth.payload).toBe(
    (JSON.parse(readFileSync(genesis.at('truth.json'), 'utf8')) as PublishedTruth).truth.payload,
  );
  const metrics = await (await fetch(`${url}/metrics`)).text();
  expect(metrics).toContain(`mesh_peer_info{peer="${genesis.id}",network="mesh.example.org"`);
  expect(metrics).toContain('mesh_peer_sessions{direction="inbound"} 1\n');
  expect(metrics).toMatch(/mesh_peer_rtt_min_seconds\{share="1"\} 0\.\d+\n/);
  expect(metrics).not.toContain(node.id);

  const json = await node.command('status', '--json');
  expect(json.code).toBe(0);
  const { running, peerProcess } = JSON.parse(json.stdout) as {
    running: boolean;
    peerProcess: PeerStatus;
  };
  expect(running).toBe(false);
  expect(peerProcess).toMatchObject({ peer: node.id, genesis: { configured: 1, connected: 1 } });
  expect(peerProcess.sessions[0]).toMatchObject({ peer: genesis.id, direction: 'outbound' });
  const text = await node.command('status');
  expect(text.stdout).not.toContain('No agent is running');
  expect(text.stdout).toMatch(/^Peers +1 connected \(1 outbound, 0 inbound\).*Genesis connected$/m);
  expect(text.stdout).toMatch(/^Truth +version 1, signed 1 h( \d+ min)? ago, expires in 4 days/m);
  expect(text.stdout).toMatch(new RegExp(`^…${genesis.id.slice(-8)} +out +[\\d.]+ ms`, 'm'));

  second.signal('SIGTERM');
  await second.ended;
  const stopped = await node.command('status');
  expect(stopped.code).toBe(6);
  expect(stopped.stdout).toBe('No peer process is running. Start it with: mesh-agent peer\n');
});

it('a peer without a truth is not healthy, and neither is its status', async () => {
  const port = await freePort();
  const node = await aNode(program, `health = "127.0.0.1:${port}"\n`);
  await node.start('--no-genesis').said('of mesh.example.org.');
  expect((await fetch(`http://127.0.0.1:${port}/health`)).status).toBe(503);
  const { code, stdout } = await node.command('status');
  expect(code).toBe(1);
  expect(stdout).toMatch(/^Truth +none yet$/m);
});

it('doctor looks at port, truth and ban list, whether the peer process runs or not', async () => {
  const published = { body: '' };
  const service = await startHttpServer((request, response) => {
    response.writeHead(request.url === '/api/truth' && published.body ? 200 : 404, {
      'content-type': 'application/json',
    });
    response.end(published.body);
  });
  onTestFinished(() => service.stop());
  const { genesis, node, publish } = await network({ service: service.url });
  const before = await doctor(node);
  const lines = ['Configuration', 'Agent', 'Peer process', 'Listen port', 'Reachable', 'Truth'];
  expect(before.of(...lines, 'Ban')).toEqual([
    'Configuration OK',
    'Peer process WARN',
    'Listen port OK',
    'Truth WARN',
    'Ban OK',
  ]);
  const second = node.start('--json');
  await second.said('"event":"started"');
  await until('both are connected', () => isReady(node));
  const running = await doctor(node);
  expect(running.of(...lines, 'Ban')).toEqual([
    'Configuration OK',
    'Peer process OK',
    'Listen port OK',
    'Reachable OK',
    'Truth OK',
    'Ban OK',
  ]);
  expect(running.find('Truth')?.message).toMatch(
    /^version 1, signed 1 h( \d+ min)? ago; it expires in 4 days/,
  );

  // Nobody talks to a banned peer any more, so it is the service that tells.
  const ban = { peer: node.id, reason: 'floods others', since: iso(Date.now()), until: null };
  const truth = publish({ version: 2, bans: [ban] });
  await until('it is cut', async () => (await node.status()).sessions.length === 0);
  await until('it is told why', async () => (await node.status()).refusedBy['banned'] === 1);
  published.body = truth;
  const banned = await doctor(node);
  expect(banned.of('Peer process', 'Truth', 'Published truth', 'Ban')).toEqual([
    'Peer process WARN',
    'Truth OK',
    'Published truth WARN',
    'Ban FAIL',
  ]);
  expect(banned.find('Peer process')?.message).toContain('others refuse it: banned');
  expect(banned.find('Published truth')?.message).toContain('version 2, the peer process has 1');
  expect(banned.find('Ban')?.message).toBe(`${node.id} is banned: floods others`);

  // Another program has its port, and what it trusts is gone.
  second.signal('SIGTERM');
  await second.ended;
  const config = readFileSync(node.at('config.toml'), 'utf8');
  const port = /tcp\/\d+/.exec(genesis.address)?.[0] ?? '';
  writeFileSync(
    node.at('config.toml'),
    config.replace(/tcp\/\d+/, port).replace('root.json', 'none.json'),
  );
  const taken = await doctor(node);
  expect(taken.of('Listen port', 'Truth', 'Ban')).toEqual(['Listen port FAIL', 'Truth FAIL']);
  expect(taken.find('Listen port')?.remedy).toContain('peer.listen');
  expect(taken.find('Truth')?.message).toContain('peer.trust: There is no ');
});

it('the health server does not start at an address that is none or taken, and says which', async () => {
  const { run, at } = await aNode(program);
  const wrong = await run(['--no-genesis', '--health', '9901']);
  expect(wrong).toMatchObject({ code: 2, stdout: '' });
  expect(wrong.stderr).toContain('must be HOST:PORT');
  const taken = await run(['--no-genesis', '--health', '192.0.2.1:9901', '--json']);
  expect(taken.code).toBe(3);
  expect(taken.stderr + taken.stdout).toContain('cannot listen at 192.0.2.1:9901');
  expect(() => readFileSync(at('state/peer.sock'))).toThrow();
});

it('without a terminal, --watch adds a line a minute', async () => {
  const { start } = await aNode(program);
  const peer = start('--no-genesis', '--watch');
  await peer.said('0 peers connected, 0 known, truth none (stale), log 0');
  peer.signal('SIGTERM');
  const { stdout, code } = await peer.ended;
  expect(code).toBe(0);
  expect(stdout).not.toContain('\x1b');
});

describe.skipIf(!hasTerminal)('the live view in a pseudo-terminal', () => {
  const watch = (node: Node, env: Record<string, string> = {}) =>
    startInTerminal(
      [process.execPath, ...node.args('peer', '--watch')].map((arg) => `'${arg}'`).join(' '),
      { HOME: folder.path, ...env },
      { columns: 60, rows: 20 },
    );

  it('shows who is connected, and leaves the terminal as it was', async () => {
    const { genesis, first, node, publish } = await network();
    const terminal = watch(node);
    await terminal.shows('\x1b[?1049h');
    await terminal.shows(`…${genesis.id.slice(-8)}`);
    await terminal.shows(' ms');
    publish({ version: 2 });
    await terminal.shows('version 2');
    const frames = terminal.output().split('\x1b[H').slice(1);
    for (const frame of frames) {
      const lines = frame.replace(/\x1b\[[\d;?]*[A-Za-z]/g, '').split('\r\n');
      expect(lines.length).toBeLessThanOrEqual(20);
      for (const line of lines) expect(line.length).toBeLessThan(60);
    }
    await terminal.type('Ctrl-C ends the peer.', '\x03');
    expect(await terminal.ended).toBe(0);
    expect(terminal.output().trimEnd().endsWith('\x1b[?25h\x1b[?1049l')).toBe(true);
    first.signal('SIGTERM');
    await first.ended;
  });

  it('has no colours with NO_COLOR', async () => {
    const node = await aNode(program, 'genesis = ["/ip4/192.0.2.1/tcp/1/p2p/NONE"]\n');
    const config = readFileSync(node.at('config.toml'), 'utf8');
    writeFileSync(node.at('config.toml'), config.replace('NONE', node.id));
    const terminal = watch(node, { NO_COLOR: '1' });
    await terminal.type('none yet', '\x03');
    expect(await terminal.ended).toBe(0);
    expect(terminal.output()).not.toMatch(/\x1b\[[\d;]*m/);
  });
});
