import type { KeyObject } from 'node:crypto';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SignedDocument } from '@mesh-registry/protocol/keys/dsse.schema.ts';
import { createBlock } from '@mesh-registry/protocol/log/block.ts';
import { BlockLog } from '@mesh-registry/protocol/log/block-log.ts';
import {
  generateNodeKey,
  nodeKeyFromPem,
  nodeKeyText,
  nodeKeyToPem,
} from '@mesh-registry/protocol/keys/node-key.ts';
import { peerIdOfKey } from '@mesh-registry/protocol/keys/peer-id.ts';
import {
  type ProposedBans,
  PublishedTruth,
  type Truth,
} from '@mesh-registry/protocol/truth/truth.schema.ts';
import { Trust } from '@mesh-registry/protocol/truth/trust.ts';
import { aRoot, role, root } from '../support/network-truth.ts';
import { startTestServer } from '../support/server.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { command } from './command.ts';

/** A network's trust by the commands of its holders, each file as it goes from one to the next. */

const folder = temporaryDirectory();
afterAll(() => folder.remove());
const at = (name: string) => join(folder.path, name);
const read = (name: string) => JSON.parse(readFileSync(at(name), 'utf8')) as unknown;
const write = (name: string, content: unknown) =>
  writeFileSync(at(name), typeof content === 'string' ? content : JSON.stringify(content));
const payloadOf = (name: string) =>
  JSON.parse(Buffer.from(SignedDocument.parse(read(name)).payload, 'base64').toString()) as unknown;

/** A command that must succeed. */
async function truth(...args: string[]) {
  const result = await command(['truth', ...args]);
  expect(result.code, result.stderr).toBe(0);
  return result.stdout;
}
async function refused(...args: string[]) {
  const { code, stderr } = await command(['truth', ...args]);
  expect(code).not.toBe(0);
  return stderr;
}

/** File and public key of each holder. */
const holders = { ada: '', bob: '', cleo: '', eve: '', log: '' };
type Holder = keyof typeof holders;
const pem = (name: Holder) => at(`${name}.pem`);
const sign = (file: string, by: Holder, ...more: string[]) =>
  truth('sign', at(file), '--key', pem(by), ...more);

const aPeer = () => peerIdOfKey(nodeKeyText(generateNodeKey()));
const peers = [aPeer(), aPeer(), aPeer()] as const;

beforeAll(async () => {
  for (const name of Object.keys(holders) as Holder[])
    holders[name] = (await truth('key', pem(name))).trim();
  const { ada, bob, cleo, log } = holders;
  const rootKeys = [ada, bob, cleo].flatMap((key) => ['--root-key', key]);
  const truthKeys = [ada, bob].flatMap((key) => ['--truth-key', key]);
  await truth(
    ...['draft', 'root', '--network', 'mesh.example.org', ...rootKeys, ...truthKeys],
    ...['--truth-threshold', '2', '--block-key', log, '--out', at('root.json')],
  );
  await sign('root.json', 'ada');
  await sign('root.json', 'cleo');
  await truth('draft', 'truth', '--trust', at('root.json'), '--out', at('first.json'));
  await sign('first.json', 'ada', '--trust', at('root.json'));
  await sign('first.json', 'bob', '--trust', at('root.json'));
  await truth('publish', at('first.json'), at('root.json'), '--to', at('truth.json'));
});

let drafts = 0;
/** A draft of the next truth. */
async function draft(...args: string[]): Promise<string> {
  const name = `draft-${(drafts += 1)}.json`;
  await truth('draft', 'truth', '--trust', at('truth.json'), '--out', at(name), ...args);
  return name;
}
/** The next truth, signed and published. */
async function next(...args: string[]): Promise<Truth> {
  const name = await draft(...args);
  for (const by of ['ada', 'bob'] as const) await sign(name, by, '--trust', at('truth.json'));
  await truth('publish', at(name), '--to', at('truth.json'));
  return payloadOf(name) as Truth;
}
const publishedTrust = () => Trust.restore(PublishedTruth.parse(read('truth.json')));

/** A log of a network of the same name, signed by a key. @returns the id of its last block */
async function writeLog(directory: string, key: KeyObject, count = 3): Promise<string> {
  const roles = { ...aRoot().roles, block: role([key], 1) };
  const log = BlockLog.open(at(directory), { trust: new Trust(root({ roles })) });
  for (let height = 1; height <= count; height++) {
    const time = new Date().toISOString();
    const block = { network: 'mesh.example.org', height, prev: log.head.id, time, kind: 'test' };
    const { bad } = await log.append([createBlock({ ...block, body: Buffer.from('{}') }, key)]);
    expect(bad).toBeNull();
  }
  await log.close();
  return log.head.id;
}

describe('a key', () => {
  it('is made once, for its owner alone, and printed by its public half', async () => {
    expect(statSync(pem('ada')).mode & 0o777).toBe(0o600);
    const before = readFileSync(pem('ada'), 'utf8');
    expect((await truth('key', pem('ada'))).trim()).toBe(holders.ada);
    expect(readFileSync(pem('ada'), 'utf8')).toBe(before);
    expect(await refused('sign', at('root.json'), '--key', at('none.pem'))).toContain(
      `mesh-agent truth key ${at('none.pem')}`,
    );
  });

  it('may begin with a hyphen', async () => {
    let key = generateNodeKey();
    while (!nodeKeyText(key).startsWith('-')) key = generateNodeKey();
    writeFileSync(at('hyphen.pem'), nodeKeyToPem(key), { mode: 0o600 });
    const text = nodeKeyText(key);
    const keys = ['--root-key', text, '--truth-key', text, '--block-key', text];
    const printed = await truth('draft', 'root', '--network', 'hyphen', ...keys);
    expect(JSON.parse(printed)).toMatchObject({
      version: 1,
      roles: { root: { keys: [text], threshold: 1 } },
    });
  });
});

describe('a signature', () => {
  it('is added by one holder after another, who each see what is missing', async () => {
    const file = await draft('--ban', peers[0], '--reason', 'floods its peers');
    const first = await sign(file, 'ada', '--trust', at('truth.json'));
    expect(first).toContain(`Truth 2 of mesh.example.org`);
    expect(first).toContain(`+ ${peers[0]}`);
    expect(first).toContain('floods its peers');
    expect(first).toContain('1 of 2 signatures by the truth keys of root 1');
    expect(first).toContain(`  ${holders.bob}`);
    expect(first).not.toContain(`  ${holders.ada}`);
    const again = await sign(file, 'ada', '--trust', at('truth.json'));
    expect(again).toContain('already had your signature');
    expect(await refused('publish', at(file), '--to', at('truth.json'))).toContain(
      '1 of 2 signatures',
    );
    const out = at('complete.json');
    const last = await sign(file, 'bob', '--trust', at('truth.json'), '--out', out, '--json');
    expect(JSON.parse(last)).toMatchObject({
      added: true,
      complete: true,
      needs: [{ threshold: 2, signers: [holders.ada, holders.bob], missing: [] }],
    });
    expect(SignedDocument.parse(read(file)).signatures).toHaveLength(1);
    expect(SignedDocument.parse(read('complete.json')).signatures).toHaveLength(2);
  });

  it('by a key of no role, or of another, is refused with those that can sign', async () => {
    const file = await draft();
    const before = readFileSync(at(file), 'utf8');
    const by = (name: Holder) =>
      refused('sign', at(file), '--key', pem(name), '--trust', at('truth.json'));
    const eve = await by('eve');
    expect(eve).toContain(`${holders.eve} is in no role`);
    expect(eve).toContain(holders.ada);
    expect(await by('log')).toContain(`${holders.log} is a block key`);
    expect(await by('cleo')).toContain(`${holders.cleo} is a root key`);
    expect(readFileSync(at(file), 'utf8')).toBe(before);
  });

  it('is refused of what no peer would believe', async () => {
    const good = read(await draft()) as Truth;
    const { version } = good;
    const root = payloadOf('root.json') as { roles: { root: object } };
    const refusal = async (content: unknown) => {
      write('bad.json', content);
      return refused('sign', at('bad.json'), '--key', pem('ada'), '--trust', at('truth.json'));
    };
    for (const [content, why] of [
      ['{', 'is not JSON'],
      [{}, 'It must be a root or a truth'],
      [{ ...good, bans: [{ peer: 'me' }] }, 'bans.0.peer must be a peer id'],
      [{ ...good, extra: true }, 'Unrecognized key'],
      [{ ...good, version: version - 1 }, 'believed already'],
      [{ ...good, network: 'other.example.org' }, 'of the network other.example.org'],
      [{ ...good, expires: '2026-01-01T00:00:00Z', issued: '2025-01-01T00:00:00Z' }, 'It expired'],
      [{ ...good, issued: '2025-01-01T00:00:00Z' }, 'issued before'],
      [{ ...good, issued: '2200-01-01T00:00:00Z', expires: '2201-01-01T00:00:00Z' }, 'future'],
      [root, 'after version 1 comes 2, not 1'],
      [{ ...root, version: 3 }, 'after version 1 comes 2, not 3'],
      [
        {
          ...root,
          version: 2,
          roles: { ...root.roles, root: { keys: [holders.ada], threshold: 2 } },
        },
        'threshold must be at most the number of keys',
      ],
    ] as const)
      expect(await refusal(content), why).toContain(why);
    expect(await refused('sign', at('truth.json'), '--key', pem('ada'))).toContain(
      'its parts are signed one by one',
    );
    expect(await refused('sign', at('first.json'), '--key', pem('ada'))).toContain('--trust');
  });

  it('is refused once the file was changed after another holder has signed', async () => {
    const file = await draft();
    await sign(file, 'ada', '--trust', at('truth.json'));
    const document = SignedDocument.parse(read(file));
    const content = JSON.parse(Buffer.from(document.payload, 'base64').toString()) as Truth;
    const bans = [{ peer: peers[2], reason: '', since: content.issued, until: null }];
    const payload = Buffer.from(JSON.stringify({ ...content, bans })).toString('base64');
    write(file, { ...document, payload });
    const args = ['sign', at(file), '--trust', at('truth.json'), '--key', pem('bob')];
    expect(await refused(...args)).toContain(`The signature of ${holders.ada} does not fit`);
  });
});

describe('the next truth', () => {
  it('keeps what there is, and takes bans, ends of bans and a checkpoint', async () => {
    const log = `7:${'a'.repeat(64)}`;
    await next('--ban', peers[0], '--reason', 'floods', '--ban', peers[1], '--checkpoint', log);
    const second = await next('--unban', peers[0], '--ban', peers[2], '--until', '30d');
    expect(second.log).toEqual({ height: 7, id: 'a'.repeat(64) });
    expect(second.bans).toMatchObject([
      { peer: peers[1], reason: 'floods', until: null },
      { peer: peers[2], reason: '' },
    ]);
    expect(publishedTrust().banOf(peers[2])).toBeDefined();
    const from = ['draft', 'truth', '--trust', at('truth.json')];
    expect(await refused(...from, '--checkpoint', `6:${'b'.repeat(64)}`)).toContain('block 7');
    expect(await refused(...from, '--unban', peers[0])).toContain('is not banned');
    expect(await refused(...from, '--ban', '12D3KooW')).toContain('isn’t a peer ID');
    expect(await refused(...from, '--expires', '2020-01-01')).toContain('in the past');
    expect(await refused('draft', 'truth')).toContain('--trust');
  });

  it('takes the last block of a log, if that is the network’s', async () => {
    const from = ['draft', 'truth', '--trust', at('root.json')];
    const id = await writeLog('log', nodeKeyFromPem(readFileSync(pem('log'), 'utf8')));
    const printed = await truth(...from, '--checkpoint', at('log'));
    expect((JSON.parse(printed) as Truth).log).toEqual({ height: 3, id });
    await writeLog('forged', generateNodeKey());
    expect(await refused(...from, '--checkpoint', at('forged'))).toContain("isn't valid");
    expect(await refused(...from, '--checkpoint', at('nowhere'))).toContain('There is no');
    expect(await refused(...from, '--checkpoint', '3:abc')).toContain('64 digits');
    // Another block where the published truth has one.
    await writeLog('other', nodeKeyFromPem(readFileSync(pem('log'), 'utf8')), 8);
    const published = ['draft', 'truth', '--trust', at('truth.json')];
    expect(await refused(...published, '--checkpoint', at('other'))).toContain(
      'Block 7 is not the one',
    );
    expect(await refused(...published, '--checkpoint', `7:${'b'.repeat(64)}`)).toContain(
      'A log never changes',
    );
  });

  it('takes the list of blocked nodes, and says who cannot be banned', async () => {
    const blocked = aPeer();
    const since = '2026-06-01T00:00:00.000Z';
    write('bans.json', {
      service: 'https://mesh.example.org',
      exportedAt: since,
      bans: [{ nodeId: 'node_bad', peer: blocked, reason: '', since, until: null }],
      notBannable: [{ nodeId: 'node_unknown', since, why: 'it has no key.' }],
    } satisfies ProposedBans);
    const args = ['--trust', at('truth.json'), '--bans', at('bans.json'), '--reason', 'spam'];
    const { stdout, stderr } = await command(['truth', 'draft', 'truth', ...args]);
    expect((JSON.parse(stdout) as Truth).bans).toContainEqual({
      peer: blocked,
      reason: 'spam',
      since,
      until: null,
    });
    expect(stderr).toContain('node_unknown, it has no key.');
    expect(
      await refused('draft', 'truth', '--trust', at('truth.json'), '--bans', at('root.json')),
    ).toContain("isn't a list of proposed bans");
  });
});

describe('what is published', () => {
  it('stays as it is when something does not fit, and is never overwritten by a draft', async () => {
    const before = readFileSync(at('truth.json'), 'utf8');
    const to = ['--to', at('truth.json')];
    expect(await refused('publish', at('first.json'), ...to)).toContain('older than');
    expect(await refused('publish', at(await draft()), ...to)).toContain('is a draft');
    expect(await refused('publish', at('root.json'), '--to', at('new.json'))).toContain(
      'together with a truth',
    );
    const from = ['draft', 'truth', '--trust', at('truth.json')];
    expect(await refused(...from, '--out', at('truth.json'))).toContain('is there already');
    expect(readFileSync(at('truth.json'), 'utf8')).toBe(before);
    expect(existsSync(at('new.json'))).toBe(false);
  });

  it('is verified line by line from the root that is trusted', async () => {
    const out = await truth('verify', at('truth.json'), '--trust', at('root.json'));
    expect(out).toMatch(/^OK +Root 1: the one that you trust$/m);
    expect(out).toMatch(/^OK +Truth \d+: signed by the truth keys of root 1, 2 of 2, 2 needed/m);
    expect(await truth('verify', at('truth.json'))).toMatch(/^WARN +Root 1: .*\n.*Anyone can/m);
    await truth('verify', at('first.json'), '--trust', at('root.json'));
    await truth('verify', at('root.json'));
    // Somebody else's network of the same name.
    const eve = ['root', 'truth', 'block'].flatMap((role) => [`--${role}-key`, holders.eve]);
    const trusted = ['--trust', at('eves.json')];
    await truth(
      ...['draft', 'root', '--network', 'mesh.example.org', ...eve, '--out', at('eves.json')],
    );
    await sign('eves.json', 'eve');
    const { code, stdout } = await command([
      ...['truth', 'verify', at('truth.json'), ...trusted, '--json'],
    ]);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      ok: false,
      checks: [{ level: 'FAIL', message: "This isn't the root you trust." }],
    });
    expect(await refused('verify', at('first.json'))).toBe('');
    expect(await refused('publish', at('eves.json'), '--to', at('truth.json'))).toContain(
      "isn't the root you trust",
    );
  });

  it('is shown from a file, from the state of a peer, and from a service', async () => {
    const state = at('state');
    expect(await refused('show', '--state', state)).toContain('No peer has kept a truth here');
    const server = await startTestServer({ env: { TRUTH_FILE: at('truth.json') } });
    try {
      const [file, service] = [
        await truth('show', at('truth.json'), '--json'),
        await truth('show', '--service', server.url, '--json'),
      ];
      expect(file).toBe(service);
      expect(JSON.parse(file)).toMatchObject({
        network: 'mesh.example.org',
        stale: false,
        root: { version: 1, signers: [holders.ada, holders.cleo] },
        truth: { signers: [holders.ada, holders.bob] },
      });
      const text = await truth('show', at('truth.json'));
      expect(text).toMatch(/^Network +mesh.example.org$/m);
      expect(text).toContain(`* ${holders.bob}`);
      expect(text).toContain(peers[1]);
    } finally {
      await server.stop();
    }
    expect((await command(['truth', 'show', '--service', server.url])).code).toBe(4);
    expect(await truth('show', at('root.json'))).toContain('STALE');
  });
});

it('keys are rotated by a root that old and new holders sign, together with a truth', async () => {
  const { bob, eve } = holders;
  const rootKeys = [bob, eve].flatMap((key) => ['--root-key', key]);
  const trust = ['--trust', at('truth.json')];
  const truthKeys = ['--truth-key', eve, '--truth-threshold', '1'];
  await truth('draft', 'root', ...trust, ...rootKeys, ...truthKeys, '--out', at('root-2.json'));
  const first = await sign('root-2.json', 'bob', ...trust);
  expect(first).toContain('1 of 2 signatures by the root keys of root 1.');
  expect(first).toContain('1 of 2 signatures by the root keys of root 2.');
  expect(first).toContain(`  + ${eve}`);
  expect(first).toContain(`  - ${holders.cleo}`);
  await sign('root-2.json', 'eve', ...trust);
  expect(await refused('publish', at('root-2.json'), '--to', at('truth.json'))).toContain(
    'The root before does not agree: 1 of 2',
  );
  await sign('root-2.json', 'ada', ...trust);
  expect(await refused('publish', at('root-2.json'), '--to', at('truth.json'))).toContain(
    'names other truth keys',
  );
  // Peers forget the truth of the old keys, but nobody may publish one that forgets its bans.
  const roots = ['--trust', at('root.json'), '--trust', at('root-2.json')];
  await truth('draft', 'truth', ...roots, '--out', at('forgetful.json'));
  await sign('forgetful.json', 'eve', ...roots);
  expect(
    await refused('publish', at('forgetful.json'), at('root-2.json'), '--to', at('truth.json')),
  ).toContain('Version 1 of the truth does not come after');
  const both = [...trust, '--trust', at('root-2.json')];
  await truth('draft', 'truth', ...both, '--out', at('after.json'));
  await sign('after.json', 'eve', ...both);
  await truth('publish', at('after.json'), at('root-2.json'), '--to', at('truth.json'));
  const out = await truth('verify', at('truth.json'), '--trust', at('root.json'));
  expect(out).toMatch(
    /^OK +Root 2: signed by the keys of root 1, 2 of 3, 2 needed, and by its own/m,
  );
  expect(publishedTrust().root.version).toBe(2);
});
