import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import type { StartingPeer } from '@mesh-registry/agent/peer/status-text.ts';
import type { PeerStatus } from '@mesh-registry/peer/base/status.ts';
import {
  generateNodeKey,
  nodeKeyText,
  nodeKeyToPem,
} from '@mesh-registry/protocol/keys/node-key.ts';
import { peerIdOfKey } from '@mesh-registry/protocol/keys/peer-id.ts';
import { runAgent, startAgent } from '../agent/packed.ts';
import { freePort } from '../support/port.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { ROOT } from './peers.ts';

/** Nodes whose peer process is the built program. */

const NOWHERE = 'http://127.0.0.1:9';

/**
 * A node with a key and a configuration, and the commands of an operator.
 * @param program the built agent
 * @param more TOML of its section [peer]
 * @param service its address; by default nothing answers there
 */
export async function aNode(program: string, more = '', service = NOWHERE) {
  const home = temporaryDirectory();
  onTestFinished(home.remove);
  const at = (name: string) => join(home.path, name);
  const key = generateNodeKey();
  const id = peerIdOfKey(nodeKeyText(key));
  const port = await freePort();
  writeFileSync(at('identity.key'), nodeKeyToPem(key), { mode: 0o600 });
  writeFileSync(at('root.json'), JSON.stringify(ROOT));
  writeFileSync(
    at('config.toml'),
    `[service]\nurl = "${service}"\n[node]\nid = "node_${port}"\n[peer]\ntrust = "root.json"\nlisten = ["/ip4/127.0.0.1/tcp/${port}"]\nprivate_addresses = true\n${more}`,
  );
  const own = ['--config', at('config.toml'), '--state', at('state')];
  const args = (command: string, ...more: string[]) => [program, command, ...more, ...own];
  return {
    at,
    id,
    address: `/ip4/127.0.0.1/tcp/${port}/p2p/${id}`,
    start: (...more: string[]) => startAgent(process.execPath, args('peer', ...more)),
    run: (more: string[], env: Record<string, string> = {}) =>
      runAgent(process.execPath, args('peer', ...more), { env }),
    /** Another command of the same node, to its end. */
    command: (name: string, ...more: string[]) => runAgent(process.execPath, args(name, ...more)),
    args,
    status: async () =>
      JSON.parse(await text(connect(at('state/peer.sock')))) as PeerStatus & Partial<StartingPeer>,
  };
}
