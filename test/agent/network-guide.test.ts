import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { generateNodeKey, nodeKeyText } from '@mesh-registry/protocol/keys/node-key.ts';
import { peerIdOfKey } from '@mesh-registry/protocol/keys/peer-id.ts';
import { type ProposedBans, PublishedTruth } from '@mesh-registry/protocol/truth/truth.schema.ts';
import { Trust } from '@mesh-registry/protocol/truth/trust.ts';
import { startTestServer } from '../support/server.ts';
import { sh } from '../support/shell.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { buildAgent } from './agent-process.ts';

/** The guide of docs/network.md, command by command, as its holders would run it. */

const ROOT = join(import.meta.dirname, '..', '..');

test('the whole life of a network’s trust works as the guide has it', async () => {
  const guide = readFileSync(join(ROOT, 'docs', 'network.md'), 'utf8');
  const commandsOf = (heading: string) => {
    const section = guide.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
    const blocks = [...section.matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, text = '']) => text);
    expect(blocks.length, heading).toBeGreaterThan(0);
    return blocks.join('\n');
  };

  const folder = temporaryDirectory();
  onTestFinished(folder.remove);
  const at = (name: string) => join(folder.path, name);
  mkdirSync(at('bin'));
  writeFileSync(
    at('bin/mesh-agent'),
    `#!/bin/sh\nexec '${process.execPath}' '${at('agent')}/mesh-agent.mjs' "$@"\n`,
  );
  chmodSync(at('bin/mesh-agent'), 0o755);
  // The download of the reviewers.
  const blocked = peerIdOfKey(nodeKeyText(generateNodeKey()));
  const since = '2026-06-01T00:00:00.000Z';
  const bans = [{ nodeId: 'node_bad', peer: blocked, reason: '', since, until: null }];
  const proposed: ProposedBans = { service: '', exportedAt: since, bans, notBannable: [] };
  writeFileSync(at('bans.json'), JSON.stringify(proposed));

  const inFolder = `cd '${folder.path}'; PATH='${at('bin')}':$PATH`;
  await buildAgent(at('agent'));
  await sh(`${inFolder}
    ${commandsOf('Run a network’s trust')}`);
  const published = PublishedTruth.parse(JSON.parse(readFileSync(at('truth.json'), 'utf8')));
  const { root, truth } = Trust.restore(published);
  expect(root.version).toBe(3);
  // A new root that names other keys makes nobody forget the bans.
  expect(truth).toMatchObject({
    version: 4,
    log: { height: 12 },
    bans: [{ peer: blocked, reason: 'blocked by reviewers' }, { reason: 'floods its peers' }],
  });

  const server = await startTestServer({ env: { TRUTH_FILE: at('truth.json') } });
  onTestFinished(() => server.stop());
  const check = commandsOf('Check a network').replaceAll('https://mesh.example.org', server.url);
  // So does the page that visitors see.
  const page = await (await server.get('/network')).text();
  const [, shown = ''] = /<pre[^>]*><code>(.*?)<\/code>/s.exec(page) ?? [];
  for (const commands of [check, shown.replaceAll('&gt;', '>')]) {
    const output = await sh(`${inFolder}; rm truth.json\n${commands}`);
    expect(output).toContain('Valid for a peer that trusts the files you named.');
  }
});
