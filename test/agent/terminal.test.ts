import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestServer, type TestServer } from '../support/server.ts';
import { temporaryDirectory, type TemporaryDirectory } from '../support/temporary-directory.ts';
import { hasTerminal, startInTerminal } from '../support/terminal.ts';
import { buildAgent } from './agent-process.ts';

/** The agent in a real pseudo-terminal. Init without questions is in packed.test.ts. */

const SECRET = 'the-secret-of-this-network';

describe.skipIf(!hasTerminal)('in a pseudo-terminal', () => {
  let folder: TemporaryDirectory;
  let server: TestServer;
  let command: string;
  beforeAll(async () => {
    folder = temporaryDirectory();
    [server, command] = await Promise.all([
      startTestServer({ env: { WEBHOOK_SECRET: SECRET } }),
      buildAgent(join(folder.path, 'program')),
    ]);
  });
  afterAll(async () => {
    await server.stop();
    folder.remove();
  });

  const inTerminal = (args: string, env: Record<string, string> = {}) =>
    startInTerminal(`${command} ${args}`, { HOME: folder.path, ...env });

  const DOWN = '\x1b[B';
  const UP = '\x1b[A';
  const ENTER = '\r';

  it('init asks, corrects, hides the secret, and what it writes puts the node on the map', async () => {
    const config = join(folder.path, 'asked', 'config.toml');
    const terminal = inTerminal(`init --config ${config}`);
    await terminal.type('Address of the service', `${server.url}${ENTER}`);
    await terminal.type('ID: public', `${'\x7f'.repeat(13)}node_asked${ENTER}`);
    await terminal.type('A label', `garage${ENTER}`);
    await terminal.type('size class', DOWN + ENTER);
    await terminal.type('Region code', `EU${ENTER}`);
    await terminal.type('public map?', ENTER);
    await terminal.type('Latitude', `137${ENTER}`);
    await terminal.type('must be from -90 to 90', `${'\x7f'.repeat(3)}48.13${ENTER}`);
    await terminal.type('Longitude', `11.58${ENTER}`);
    await terminal.shows('48, 11.5');
    await terminal.type("network's secret", UP + UP + UP + ENTER);
    await terminal.type('The secret', `${SECRET}${ENTER}`);
    await terminal.type('Write ', ENTER);
    expect(await terminal.ended).toBe(0);
    expect(terminal.output()).not.toContain(SECRET);
    const text = readFileSync(config, 'utf8');
    expect(text).toMatch(/id = "node_asked"\nlabel = "garage"\nclass = "M"\nregion = "EU"/);
    expect(text).toMatch(/lat = 48\nlng = 11\.5/);

    const run = inTerminal(`run --config ${config} --state ${join(folder.path, 's')}`);
    await run.shows('on the map');
    await run.shows('heartbeat');
    // Ctrl-C
    await run.type('next in', '\x03');
    expect(await run.ended).toBe(0);
    const mesh = (await (await server.get('/api/mesh')).json()) as { peers: { id: string }[] };
    expect(mesh.peers.map(({ id }) => id)).toContain('node_asked');
  });

  it('Ctrl-C at a question writes nothing; NO_COLOR has no colours', async () => {
    const config = join(folder.path, 'ended', 'config.toml');
    const terminal = inTerminal(`init --config ${config}`, { NO_COLOR: '1' });
    await terminal.type('Address of the service', '\x03');
    expect(await terminal.ended).toBe(130);
    expect(terminal.output()).not.toMatch(/\x1b\[[349]\d?m/);
    expect(() => readFileSync(config)).toThrow();
  });

  it('doctor is coloured, and as readable without', async () => {
    const terminal = inTerminal('doctor --config /nowhere/config.toml');
    expect(await terminal.ended).toBe(1);
    expect(terminal.output()).toMatch(/\x1b\[31mFAIL\x1b\[39m {2}Configuration: There is no/);
  });
});
