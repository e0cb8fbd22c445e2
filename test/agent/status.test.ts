import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { aNode, command, type ANode } from './command.ts';

/** `mesh-agent status` beside processes that are not its own. */

/** Somebody who takes connections and says nothing. */
async function silence(file: string) {
  const server = createServer().listen(file);
  await once(server, 'listening');
  onTestFinished(() => void server.close());
}

const status = ({ config, state }: ANode) =>
  command(['status', '--config', config, '--state', state]);

it('of a node without [peer] does not depend on a peer process that does not answer', async () => {
  const node = aNode('http://127.0.0.1:9');
  mkdirSync(node.state);
  await silence(join(node.state, 'peer.sock'));
  const { code, stdout } = await status(node);
  expect(stdout).toBe('No agent is running. Start it with: mesh-agent run\n');
  expect(code).toBe(6);
});

it('of a node with [peer] says that its peer process does not answer', async () => {
  const node = aNode('http://127.0.0.1:9', { more: '[peer]\ntrust = "root.json"\n' });
  mkdirSync(node.state);
  await silence(join(node.state, 'peer.sock'));
  const { code, stderr } = await status(node);
  expect(stderr).toContain('The peer process at ');
  expect(stderr).toContain('does not answer');
  expect(code).toBe(1);
});
