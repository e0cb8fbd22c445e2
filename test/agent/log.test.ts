import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, describe, expect, it } from 'vitest';
import type { RegistryEvent } from '@mesh-registry/protocol/log/registry-event.schema.ts';
import { decodeBlock } from '@mesh-registry/protocol/log/block.ts';
import { BlockLog } from '@mesh-registry/protocol/log/block-log.ts';
import { nodeKeyText } from '@mesh-registry/protocol/keys/node-key.ts';
import { Trust } from '@mesh-registry/protocol/truth/trust.ts';
import { block, chain, withoutSignature } from '../support/blocks.ts';
import { HOUR, iso, keys, root, truth } from '../support/network-truth.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { buildAgent } from './agent-process.ts';
import { command } from './command.ts';

const folder = temporaryDirectory();
afterAll(() => folder.remove());
const at = (name: string) => join(folder.path, name);

/** When the history of the tests begins, milliseconds since 1970. */
const START = Math.floor(Date.now() / 1000) * 1000 - HOUR;
/** The time of an event as people read it. */
const time = (n: number) => iso(START + n * 1000).replace('.000Z', 'Z');

const event = (n: number, fields: Partial<RegistryEvent>): RegistryEvent => ({
  id: `event-${n}`,
  at: iso(START + n * 1000),
  event: 'activated',
  nodeId: 'node_a',
  ...fields,
});
const HISTORY = [
  [
    event(1, { name: 'garage', kinds: ['node', 'compute'] }),
    event(2, { name: 'attic', nodeId: 'node_b' }),
  ],
  [event(3, { name: 'garage', event: 'revoked' })],
  [
    event(4, { event: 'blocked', nodeId: 'node_b' }),
    event(5, { name: 'garage', nodeId: 'node_c' }),
  ],
];

/** Blocks of the registry's kind. */
const registryBlocks = (history: RegistryEvent[][], after?: Buffer): Buffer[] =>
  history.reduce<Buffer[]>((frames, events) => {
    const last = frames.at(-1) ?? after;
    const before = last && decodeBlock(last);
    return [
      ...frames,
      block({
        height: (before?.header.height ?? 0) + 1,
        ...(before && { prev: before.id }),
        kind: 'registry',
        time: iso(START),
        body: Buffer.from(JSON.stringify({ events })),
      }),
    ];
  }, []);

const blocks = registryBlocks(HISTORY);
const idOf = (frame: Buffer | undefined) => (frame ? decodeBlock(frame).id : '');
let logs = 0;
/** A directory with a log. */
async function logOf(frames: readonly Buffer[], trust = new Trust(root())): Promise<string> {
  const directory = at(`log-${(logs += 1)}`);
  const log = BlockLog.open(directory, { trust });
  const { bad } = await log.append(frames);
  expect(bad).toBeNull();
  await log.close();
  return directory;
}

/** A file with what the network publishes now. */
function published(log?: { height: number; id: string }): string {
  const name = at(`truth-${(logs += 1)}.json`);
  const fields = { issued: iso(START), expires: iso(Date.now() + HOUR), ...(log && { log }) };
  const roots = [root({ issued: iso(START), expires: iso(Date.now() + HOUR) })];
  writeFileSync(name, JSON.stringify({ roots, truth: truth(fields) }));
  return name;
}

const levels = (stdout: string) =>
  [...stdout.matchAll(/^(OK|WARN|FAIL) +(\w+):/gm)].map(([, level, name]) => `${name} ${level}`);

describe('log verify', () => {
  it('believes a log from the root that it is given, and says where it ends', async () => {
    const log = await logOf(blocks);
    const trust = published({ height: 2, id: idOf(blocks[1]) });
    const { code, stdout } = await command(['log', 'verify', log, '--trust', trust]);
    expect(levels(stdout)).toEqual(['Blocks OK', 'Signatures OK', 'Checkpoint OK']);
    expect(stdout).toContain(
      `This is the log of mesh.example.org, to block 3:${idOf(blocks[2])}\n`,
    );
    expect(code).toBe(0);
    const json = await command(['log', 'verify', log, '--trust', trust, '--json']);
    expect(JSON.parse(json.stdout)).toMatchObject({
      ok: true,
      network: 'mesh.example.org',
      head: { height: 3, id: idOf(blocks[2]) },
      signed: 3,
    });
  });

  it('takes the log and the trust that the peer process keeps', async () => {
    const state = at('state');
    const trust = new Trust(root({ issued: iso(START), expires: iso(Date.now() + HOUR) }));
    trust.takeTruth(truth({ issued: iso(START), expires: iso(Date.now() + HOUR) }));
    const none = await command(['log', 'verify', '--state', state]);
    expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('--trust FILE')]);
    mkdirSync(join(state, 'peer'), { recursive: true });
    writeFileSync(join(state, 'peer', 'trust.json'), JSON.stringify(trust.state));
    expect((await command(['log', 'tail', '--state', state])).stderr).toContain(
      'No peer has kept a log here',
    );
    const log = BlockLog.open(join(state, 'peer', 'log'), { trust });
    expect((await command(['log', 'verify', '--state', state])).stdout).toContain('no block yet');
    await log.append(blocks);
    await log.close();
    const { code, stdout } = await command(['log', 'verify', '--state', state]);
    expect([code, stdout]).toEqual([0, expect.stringContaining('to block 3:')]);
    expect((await command(['log', 'tail', '--state', state])).stdout).toContain('garage');
  });

  it('finds what is changed, missing, unsigned, or of another history', async () => {
    const trust = published();
    const verify = async (directory: string, file = trust) => {
      const { code, stdout } = await command(['log', 'verify', directory, '--trust', file]);
      expect(code).toBe(stdout.includes('FAIL') ? 1 : 0);
      if (code === 1) expect(stdout).toContain("This log isn't valid.");
      return stdout;
    };

    const changed = await logOf(blocks);
    const file = join(changed, '000000000001.blocks');
    const bytes = readFileSync(file);
    const where = bytes.indexOf('"revoked"');
    bytes.write('"renamed"', where);
    writeFileSync(file, bytes);
    expect(await verify(changed)).toContain(
      'FAIL  Blocks: The body of block 2 is another one.\n      Up to block 1 each follows the one before.',
    );

    const index = await logOf(blocks);
    const entries = readFileSync(join(index, '000000000001.index'));
    entries.fill(0, 44 + 12, 44 + 44);
    writeFileSync(join(index, '000000000001.index'), entries);
    expect(await verify(index)).toContain('The index has another block 2.');

    const others = keys(1);
    const theirs = new Trust(
      root({
        roles: {
          ...new Trust(root()).root.roles,
          block: { keys: others.map(nodeKeyText), threshold: 1 },
        },
      }),
    );
    const unsigned = await logOf(chain({ count: 3, by: others, start: START }), theirs);
    expect(await verify(unsigned)).toContain("no block is signed by the network's block keys");

    const half = await logOf([...blocks.slice(0, 2).map(withoutSignature), ...blocks.slice(2)]);
    expect(await verify(half)).toContain(
      'WARN  Signatures: 2 of 3 blocks have an invalid signature',
    );

    const log = await logOf(blocks);
    const other = published({ height: 3, id: 'ab'.repeat(32) });
    expect(await verify(log, other)).toContain('Block 3 is not the one');
    const later = published({ height: 9, id: 'ab'.repeat(32) });
    expect(levels(await verify(log, later))).toContain('Checkpoint WARN');
    const rootAlone = at('root.json');
    writeFileSync(rootAlone, JSON.stringify(root({ expires: iso(Date.now() + HOUR) })));
    expect(levels(await verify(log, rootAlone))).toEqual([
      'Blocks OK',
      'Signatures OK',
      'Checkpoint WARN',
    ]);
  });

  it('says what it cannot read', async () => {
    const trust = published();
    const none = await command(['log', 'verify', at('none'), '--trust', trust]);
    expect([none.code, none.stderr]).toEqual([1, `mesh-agent: There is no ${at('none')}.\n`]);
    const log = await logOf(blocks);
    writeFileSync(join(log, '000000000001.blocks'), '');
    const { code, stderr } = await command(['log', 'verify', log, '--trust', trust]);
    expect([code, stderr]).toEqual([1, expect.stringContaining('The log cannot be read')]);
  });
});

describe('log show', () => {
  it('tells what happened to a name or a node, the oldest first', async () => {
    const dir = await logOf([
      ...blocks,
      ...chain({ count: 1, after: blocks.at(-1), start: START }),
    ]);
    const about = async (...args: string[]) =>
      (await command(['log', 'show', '--dir', dir, ...args])).stdout;
    expect((await about('--name', 'Garage')).split('\n')).toEqual([
      expect.stringMatching(
        new RegExp(`^${time(1)} +block 1 +activated +garage +node_a \\(node, compute\\)$`),
      ),
      expect.stringMatching(new RegExp(`^${time(3)} +block 2 +revoked +garage +node_a$`)),
      expect.stringMatching(new RegExp(`^${time(5)} +block 3 +activated +garage +node_c$`)),
      '',
    ]);
    expect(JSON.parse(await about('--node', 'node_b', '--json'))).toEqual({
      head: expect.objectContaining({ height: 4 }),
      entries: [
        { height: 1, ...HISTORY[0]?.[1] },
        { height: 3, ...HISTORY[2]?.[0] },
      ],
    });
    const nothing = await command(['log', 'show', '--dir', dir, '--name', 'shed']);
    expect([nothing.code, nothing.stdout, nothing.stderr]).toEqual([
      1,
      '',
      "The log doesn't mention shed.\n",
    ]);
  });

  it('shows a block', async () => {
    const dir = await logOf([
      ...blocks,
      ...chain({ count: 1, after: blocks.at(-1), start: START }),
    ]);
    const { stdout } = await command(['log', 'show', '3', '--dir', dir]);
    expect(stdout).toContain(`Block      3, ${idOf(blocks[2])}\n`);
    expect(stdout).toContain(`Follows    ${idOf(blocks[1])}\n`);
    expect(stdout).toMatch(/Signed +by \S{43}\n.+ block 3 +blocked +node_b\n/);
    expect((await command(['log', 'show', '4', '--dir', dir])).stdout).toContain(
      'bytes of the kind test',
    );
    const json = JSON.parse((await command(['log', 'show', '2', '--dir', dir, '--json'])).stdout);
    expect(json).toMatchObject({ height: 2, id: idOf(blocks[1]), events: HISTORY[1] });
    for (const args of [['5'], ['0'], ['x'], [], ['1', '--name', 'garage']]) {
      const { code, stderr } = await command(['log', 'show', '--dir', dir, ...args]);
      expect([code, stderr]).toEqual([
        2,
        expect.stringMatching(/There is no block|Say what to show/),
      ]);
    }
  });

  it('prints nothing that could move a terminal’s cursor', async () => {
    const evil = [[event(1, { name: 'a\u001b[2Jb', nodeId: 'node\r\nOK' })]];
    const dir = await logOf(registryBlocks(evil));
    const { stdout } = await command(['log', 'tail', dir]);
    expect(stdout).toContain('  ab  ');
    expect(stdout.split('\n')).toHaveLength(2);
  });
});

describe('log tail', () => {
  it('shows the newest events, the last one last', async () => {
    const dir = await logOf([
      ...blocks,
      ...chain({ count: 1, after: blocks.at(-1), start: START }),
    ]);
    const ids = async (...args: string[]) =>
      (await command(['log', 'tail', dir, '--json', ...args])).stdout
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => (JSON.parse(line) as RegistryEvent).id);
    expect(await ids()).toEqual([1, 2, 3, 4, 5].map((n) => `event-${n}`));
    expect(await ids('-n', '2')).toEqual(['event-4', 'event-5']);
    expect(await ids('--lines', '0')).toEqual([]);
    expect((await command(['log', 'tail', dir, '-n', 'x'])).code).toBe(2);
  });

  it('goes on with what another process appends, until it is ended', async () => {
    const dir = at('followed');
    const log = BlockLog.open(dir, { trust: new Trust(root()) });
    await log.append(blocks.slice(0, 1));
    const program = await buildAgent(at('agent'));
    const child = spawn(process.execPath, [program, 'log', 'tail', dir, '-f', '-n', '1'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const closed = once(child, 'close');
    const lines: string[] = [];
    createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
    await expect.poll(() => lines.length).toBe(1);
    await log.append(blocks.slice(1));
    await expect.poll(() => lines.length).toBe(4);
    child.kill('SIGTERM');
    expect((await closed)[0]).toBe(0);
    expect(lines.at(-1)).toMatch(/activated +garage +node_c/);
    await log.close();
  });
});
