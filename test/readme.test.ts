import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startTestServer } from './support/server.ts';
import { sh } from './support/shell.ts';

/** The commands of README and of docs/http-api.md work. scripts/documents.test.ts: everything that documents name exists. */

const read = (document: string) => readFileSync(join(import.meta.dirname, '..', document), 'utf8');

type Answer = Record<string, unknown>;

/** Runs the `sh` block below a heading against a fresh service, and returns every JSON answer in order. */
async function answersOf(document: string, heading: string): Promise<Answer[]> {
  const section = read(document).split(`\n## ${heading}\n`)[1] ?? '';
  const commands = section.match(/```sh\n([\s\S]*?)```/)?.[1];
  expect(commands, `${document} has commands below "${heading}"`).toBeDefined();
  const server = await startTestServer();
  try {
    const script = commands
      ?.replaceAll('http://127.0.0.1:3000', server.url)
      // Ends each answer with a line break, so that it has a line of its own.
      .replace(/^(curl .*)$/gm, '$1\necho');
    return (await sh(script ?? ''))
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as Answer);
  } finally {
    await server.stop();
  }
}

describe('commands', () => {
  it('the five requests of README work as written', async () => {
    const answers = await answersOf('README.md', 'Five requests');
    expect(answers).toHaveLength(5);
    const [ping, mesh, announce, computes, registration] = answers;
    expect(ping).toMatchObject({ ok: true, isNew: true });
    expect(mesh).toMatchObject({ stats: { peers: 1, online: 1 } });
    expect(announce).toMatchObject({ computes: [{ listed: false, reason: 'name_not_active' }] });
    expect(computes).toMatchObject({ stats: { total: 0 } });
    expect(registration).toMatchObject({ status: 'pending_payment', name: 'garage' });
  });

  it('every line of the curl tour works as written', async () => {
    const answers = await answersOf('docs/http-api.md', 'Tour with curl');
    expect(answers).toHaveLength(20);
    const [
      ping,
      mesh,
      network,
      node,
      places,
      ,
      dry,
      key,
      announce,
      computes,
      ,
      ,
      free,
      confirmed,
      registration,
    ] = answers;
    expect(ping).toMatchObject({ ok: true, isNew: true, peer: { lat: 37.5, lng: -122.5 } });
    expect(mesh).toMatchObject({ stats: { peers: 1, online: 1 } });
    for (const history of [network, node]) expect(history).toMatchObject({ stepSeconds: 900 });
    expect(places).toMatchObject({ stepSeconds: 86_400 });
    expect(dry).toMatchObject({ ok: true, dryRun: true });
    expect(key).toMatchObject({ ok: true, key: null });
    expect(announce).toMatchObject({ computes: [{ listed: false, reason: 'name_not_active' }] });
    expect(computes).toMatchObject({ stats: { total: 0 } });
    expect(free).toMatchObject({ available: true });
    expect(confirmed).toMatchObject({ status: 'pending_review' });
    expect(registration).toMatchObject({ status: 'pending_review', name: 'garage' });
    expect(answers.at(-1)).toMatchObject({ ok: true, nodeId: 'node_macmini' });
    for (const answer of answers) expect(answer).not.toMatchObject({ ok: false });
  });
});
