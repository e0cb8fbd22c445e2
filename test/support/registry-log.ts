import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import {
  RegistryBody,
  type RegistryEvent,
} from '@mesh-registry/protocol/log/registry-event.schema.ts';
import { decodeBlock } from '@mesh-registry/protocol/log/block.ts';
import { BlockLog } from '@mesh-registry/protocol/log/block-log.ts';
import { BlockReader } from '@mesh-registry/protocol/log/block-reader.ts';
import { generateNodeKey, nodeKeyToPem } from '@mesh-registry/protocol/keys/node-key.ts';
import type { Root, Truth } from '@mesh-registry/protocol/truth/truth.schema.ts';
import { Trust } from '@mesh-registry/protocol/truth/trust.ts';
import { createTestDatabase } from './databases.ts';
import { FakeClock } from './fake-clock.ts';
import { HOUR, iso, loggers, root, truth } from './network-truth.ts';
import { startTestServer, type TestServer } from './server.ts';
import { temporaryDirectory } from './temporary-directory.ts';

/** Registries that write their log. What these functions create ends with the test that calls them. */

/** The network's root and truth, issued an hour before a moment (ms). */
export function publishedAt(
  now: number,
  fields: { root?: Partial<Root>; truth?: Partial<Truth> } = {},
) {
  const times = { issued: iso(now - HOUR), expires: iso(now + HOUR) };
  return {
    roots: [root({ ...times, ...fields.root })],
    truth: truth({ ...times, ...fields.truth }),
  };
}

/** The files of a registry that writes its log, and the variables that name them. */
export function files({ published = publishedAt(Date.now()), key = loggers[0] } = {}) {
  const { path, remove } = temporaryDirectory();
  onTestFinished(remove);
  const [directory, keyFile, truthFile] = ['log', 'block.key', 'truth.json'].map((name) =>
    join(path, name),
  ) as [string, string, string];
  writeFileSync(truthFile, JSON.stringify(published));
  writeFileSync(keyFile, nodeKeyToPem(key ?? generateNodeKey()), { mode: 0o600 });
  const env = {
    REGISTRY_LOG_DIR: directory,
    REGISTRY_LOG_KEY_FILE: keyFile,
    TRUTH_FILE: truthFile,
    // Tests write it when they want to.
    REGISTRY_LOG_MS: '86400000',
  };
  return { directory, keyFile, truthFile, env };
}

export async function setUp() {
  const database = await createTestDatabase();
  onTestFinished(() => database.drop());
  const clock = new FakeClock();
  const log = files({ published: publishedAt(clock.now) });
  const env = { ...database.env, ...log.env, RATE_LIMITS: 'off' };
  const start = async (variables: Record<string, string> = env): Promise<TestServer> => {
    const server = await startTestServer({ clock: clock.read, env: variables });
    onTestFinished(() => server.stop());
    // After the run with which it starts.
    await server.services.registryLog.write().catch(() => undefined);
    return server;
  };
  return { ...log, env, clock, start };
}

/** The events of a log, in their order. */
export function eventsIn(directory: string): RegistryEvent[] {
  const reader = BlockReader.open(directory);
  return reader
    .frames(1, 1000, 1e9)
    .flatMap((frame) => RegistryBody.parse(JSON.parse(decodeBlock(frame).body.toString())).events);
}

/** What the network's nodes would say of a log. */
export async function believedBlocks(directory: string): Promise<number> {
  const { path, remove } = temporaryDirectory();
  onTestFinished(remove);
  const copy = BlockLog.open(path, { trust: new Trust(root()), now: () => Infinity });
  const { added, bad } = await copy.append(BlockReader.open(directory).frames(1, 1024, 1e9));
  expect(bad).toBeNull();
  await copy.close();
  return added;
}
