import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { onTestFinished } from 'vitest';
import { main } from '@mesh-registry/agent/cli/program.ts';
import { createIdentity, type Identity } from '@mesh-registry/agent/identity/key-file.ts';
import { freshId } from '../contract/contract.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

/** Commands of the agent in this process, and nodes that they are for. */

export interface CommandResult {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs a command to its end, as in a pipe; with `isTTY`, what it prints is as in a terminal. */
export async function command(
  args: string[],
  { env = {}, isTTY = false }: { env?: Record<string, string>; isTTY?: boolean } = {},
): Promise<CommandResult> {
  const written = { stdout: '', stderr: '' };
  const output = (name: keyof typeof written) =>
    new Writable({
      write(text: Buffer, _, done) {
        written[name] += text.toString();
        done();
      },
    });
  const code = await main(
    {
      env,
      stdin: Readable.from([]),
      stdout: Object.assign(output('stdout'), { isTTY }),
      stderr: output('stderr'),
      node: process.execPath,
      script: 'mesh-agent',
      version: 'test',
      pid: process.pid,
    },
    args,
  );
  return { code, ...written };
}

export interface ANode {
  nodeId: string;
  folder: string;
  config: string;
  secret: string;
  key: string;
  state: string;
  identity: Identity;
}

/** A configured node on the map, with a key. @param more TOML after its own */
export function aNode(
  url: string,
  { more = '', nodeId = freshId(), secret = 'the-secret-of-this-network' } = {},
): ANode {
  const folder = temporaryDirectory();
  onTestFinished(folder.remove);
  const at = (name: string) => join(folder.path, name);
  const node = { nodeId, folder: folder.path, config: at('config.toml'), secret: at('secret') };
  writeFileSync(node.secret, secret, { mode: 0o600 });
  writeFileSync(
    node.config,
    `[service]\nurl = "${url}"\nsecret_file = "secret"\n[node]\nid = "${nodeId}"\n[map]\nlat = 37.7\nlng = -122.4\n${more}`,
  );
  const key = at('identity.key');
  return { ...node, key, state: at('state'), identity: createIdentity(key) };
}
