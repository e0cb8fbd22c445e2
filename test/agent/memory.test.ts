import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it, onTestFinished } from 'vitest';
import { generateNodeKey, nodeKeyToPem } from '@mesh-registry/protocol/keys/node-key.ts';
import { parseConfig } from '@mesh-registry/agent/config/load.ts';
import { Agent } from '@mesh-registry/agent/run/agent.ts';
import { createJournal } from '@mesh-registry/agent/run/journal.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { ManualClock } from './manual-clock.ts';

/** Garbage collection on demand, without a flag at the start. */
setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const HOUR = 3_600_000;
/** Waiting at any time: two schedules and the watch for a machine that sleeps. */
const SLEEPERS = 3;

const ANSWERS: (() => Response)[] = [
  () =>
    Response.json(
      { ok: false, code: 'unavailable', error: 'Away.', requestId: 'r' },
      { status: 503 },
    ),
  () =>
    Response.json(
      { ok: false, code: 'unauthorized', error: 'No.', requestId: 'r' },
      { status: 401 },
    ),
  () => new Response('<h1>Bad gateway</h1>', { status: 502 }),
  () => {
    throw new TypeError('fetch failed', { cause: { code: 'ENOTFOUND' } });
  },
];

const PEER = {
  id: 'node_a',
  label: 'garage',
  class: 'S',
  region: 'ZZ',
  status: 'online',
  lat: 37.5,
  lng: -122.5,
};

it('Through days of changing faults, the agent needs no more memory than after the first ones', async () => {
  const folder = temporaryDirectory();
  onTestFinished(folder.remove);
  writeFileSync(join(folder.path, 'identity.key'), nodeKeyToPem(generateNodeKey()), {
    mode: 0o600,
  });
  let requests = 0;
  /** Half of the time it works; then one fault follows another. */
  const answer = (url: string): Response => {
    const turn = Math.floor(requests++ / 50) % (2 * ANSWERS.length);
    if (turn % 2 === 1) return ANSWERS[(turn - 1) / 2]?.() ?? Response.error();
    return url.endsWith('/ping')
      ? Response.json({
          ok: true,
          isNew: false,
          message: '',
          peer: PEER,
          dropped: [],
          nextPingMs: 20_000,
        })
      : Response.json({
          ok: true,
          computes: [{ name: 'garage', freeSlots: 2, listed: turn % 4 === 0, reason: null }],
          availableMs: 300_000,
          nextAnnounceMs: 60_000,
        });
  };
  const clock = new ManualClock();
  const agent = new Agent({
    config: parseConfig(
      '[service]\nurl = "http://127.0.0.1:9"\n[node]\nid = "node_a"\n[map]\nlat = 1\nlng = 2\n[[compute]]\nname = "garage"\nreplicas = 1\nfree_slots = 1\n',
      join(folder.path, 'config.toml'),
    ),
    env: {},
    stateDirectory: null,
    journal: createJournal(new Writable({ write: (_, __, done) => done() }), {
      json: true,
      kind: 'plain',
      colours: false,
      now: clock.now,
    }),
    clock,
    version: 'test',
    pid: 1,
    fetch: (input) => new Promise((resolve) => resolve(answer((input as URL).pathname))),
  });
  const ending = new AbortController();
  const running = agent.run(ending.signal);

  const heapAfter = async (hours: number) => {
    await clock.advance(hours * HOUR, SLEEPERS);
    collectGarbage();
    return process.memoryUsage().heapUsed;
  };
  const before = await heapAfter(3);
  const after = await heapAfter(12);
  ending.abort();
  await running;
  expect(requests).toBeGreaterThan(1500);
  // Whoever keeps its body or its answer for each request needs more than this.
  expect(after - before).toBeLessThan(requests * 1000);
});
