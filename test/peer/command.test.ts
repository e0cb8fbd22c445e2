import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { BlockLog } from '@mesh-registry/protocol/log/block-log.ts';
import { Trust } from '@mesh-registry/protocol/truth/trust.ts';
import { buildAgent } from '../agent/agent-process.ts';
import { temporaryDirectory, type TemporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';
import { aNode } from './nodes.ts';
import { blocks, networkTruth, pinned, ROOT } from './peers.ts';

/** `mesh-agent peer` as a program of its own. */

let folder: TemporaryDirectory;
let program: string;
beforeAll(async () => {
  folder = temporaryDirectory();
  program = await buildAgent(folder.path);
});
afterAll(() => folder.remove());

it('starts without Genesis only if told so, and says what to change', async () => {
  const { run, start } = await aNode(program);
  const { code, stderr } = await run([]);
  expect(code).toBe(3);
  expect(stderr).toContain('names no bootstrap peer: put its address into peer.genesis');
  expect(stderr).toContain('--no-genesis');
  const peer = start('--no-genesis');
  await peer.said('of mesh.example.org.');
  const second = await run(['--no-genesis']);
  expect(second.code).toBe(6);
  expect(second.stderr).toContain('A peer process already runs with the state directory');
  peer.signal('SIGTERM');
  expect(await peer.ended).toMatchObject({ code: 0, stderr: '' });
});

it.each([
  [
    'a variable that would print the keys of connections',
    {},
    { DUMP_SESSION_KEYS: '1' },
    'Unset it.',
  ],
  ['no root', { 'root.json': null }, {}, 'peer.trust: There is no '],
  ['a root that is none', { 'root.json': '{}' }, {}, 'It must be a root or a truth, signed or not'],
  [
    'a root that its keys have not signed',
    { 'root.json': JSON.stringify({ ...ROOT, signatures: ROOT.signatures.slice(1) }) },
    {},
    'peer.trust: The root is not signed by its own keys',
  ],
])('does not start with %s', async (_, files, env, problem) => {
  const { run, at } = await aNode(program);
  for (const [name, content] of Object.entries(files))
    if (content === null)
      writeFileSync(
        at('config.toml'),
        readFileSync(at('config.toml'), 'utf8').replace('root.json', 'missing.json'),
      );
    else writeFileSync(at(name), content);
  const { code, stderr } = await run(['--no-genesis'], env);
  expect(code).toBe(3);
  expect(stderr).toContain(problem);
});

/** Changes where a node listens. */
function listenAt({ at }: Awaited<ReturnType<typeof aNode>>, address: string): void {
  const config = readFileSync(at('config.toml'), 'utf8');
  writeFileSync(at('config.toml'), config.replace(/\/ip4\/[^"]+/, address));
}

it('waits for a port that is taken, says so once, in the log and in the status, and starts when it is free', async () => {
  const one = await aNode(program);
  const peer = one.start('--no-genesis');
  await peer.said('of mesh.example.org.');
  const other = await aNode(program);
  listenAt(other, one.address.replace(/\/p2p.*/, ''));
  const waiting = other.start('--no-genesis', '--json');
  await waiting.said('port_taken');
  expect((await other.status()).fault).toContain('Another program has the port of peer.listen');
  const shown = await other.command('status');
  expect(shown.code).toBe(1);
  expect(shown.stdout).toContain('The peer process is starting. Another program has the port');
  expect((await other.command('doctor')).stdout).toContain('EADDRINUSE');
  peer.signal('SIGTERM');
  await peer.ended;
  await waiting.said('"event":"started"');
  expect(waiting.stdout().match(/port_taken/g)).toHaveLength(1);
  expect((await other.status()).peer).toBe(other.id);
  waiting.signal('SIGTERM');
  expect((await waiting.ended).code).toBe(0);
});

it('is ended at once while it waits for its port', async () => {
  const one = await aNode(program);
  const peer = one.start('--no-genesis');
  await peer.said('of mesh.example.org.');
  const other = await aNode(program);
  listenAt(other, one.address.replace(/\/p2p.*/, ''));
  const waiting = other.start('--no-genesis', '--json');
  await waiting.said('port_taken');
  waiting.signal('SIGTERM');
  expect(await waiting.ended).toMatchObject({ code: 0, stderr: '' });
  peer.signal('SIGTERM');
  await peer.ended;
});

it('does not wait for an address that is none of this machine', async () => {
  const node = await aNode(program);
  listenAt(node, '/ip4/192.0.2.1/tcp/9900');
  const { code, stderr } = await node.run(['--no-genesis']);
  expect(code).toBe(3);
  expect(stderr).toMatch(
    /^mesh-agent: peer\.listen: the peer can't listen at [^\n]*EADDRNOTAVAIL[^\n]*\n$/,
  );
});

it('on the Genesis host brings the newest truth and the log of the service to all, and names no address', async () => {
  const genesis = await aNode(program, 'truth_file = "truth.json"\nlog = "log"\n');
  const truth = (version: number) =>
    writeFileSync(
      genesis.at('truth.json'),
      JSON.stringify({ roots: [ROOT], truth: networkTruth({ version }) }),
    );
  truth(1);
  mkdirSync(genesis.at('log'));
  const trust = Trust.restore(pinned);
  const log = BlockLog.open(genesis.at('log'), { trust });
  await log.append(blocks(3));
  const first = genesis.start('--no-genesis');
  await first.said('of mesh.example.org.');
  const node = await aNode(program, `genesis = ["${genesis.address}"]\n`);
  const second = node.start('--json');
  await until('it is connected and has all', async () => {
    if (!second.stdout().includes('"event":"started"')) return false;
    const status = await node.status();
    return status.genesis.connected === 1 && status.truth?.version === 1 && status.log.height === 3;
  });
  // While both run, there is more of both.
  truth(2);
  await log.append(blocks(2, log.head));
  await until('it has what is new', async () => {
    const status = await node.status();
    return status.truth?.version === 2 && status.log.height === 5;
  });
  const status = await node.status();
  expect(status).toMatchObject({
    peer: node.id,
    log: { height: 5, id: log.head.id },
    stale: false,
  });
  first.signal('SIGTERM');
  second.signal('SIGINT');
  const outputs = [await first.ended, await second.ended];
  for (const { code, stdout, stderr } of outputs) {
    expect(code).toBe(0);
    expect(stdout + stderr).not.toMatch(/\d+\.\d+\.\d+\.\d+|\/ip[46]\//);
  }
});
