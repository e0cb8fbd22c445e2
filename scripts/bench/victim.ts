import { join } from 'node:path';
import {
  generateNodeKey,
  nodeKeyText,
  nodeKeyToPem,
} from '@mesh-registry/protocol/keys/node-key.ts';
import { peerIdOfKey } from '@mesh-registry/protocol/keys/peer-id.ts';
import { freePort } from '../../test/support/port.ts';
import { temporaryDirectory } from '../../test/support/temporary-directory.ts';
import { Publisher } from '../bench-peer/publisher.ts';
import { buildWorker, startWorker } from '../bench-peer/worker-process.ts';
import type { Build } from './builds.ts';

/** A peer of the protocol between nodes, in a process of its own, with the limits of production. */
export interface Victim {
  id: string;
  /** Where it is dialled, with its id. */
  address: string;
  /** The 99th percentile of its event loop's delay since the last call, ms. */
  loopP99(): Promise<number>;
  stop(): Promise<void>;
}

/** Removed with this process, if it is interrupted. */
const directories = new Set<() => void>();
process.on('exit', () => directories.forEach((remove) => remove()));

export async function startVictim({ directory: sources }: Build): Promise<Victim> {
  const directory = temporaryDirectory();
  directories.add(directory.remove);
  const publisher = new Publisher(directory.path);
  const worker = await startWorker({
    program: await buildWorker(directory.path, sources),
    node: process.execPath,
    nodeArgs: [],
    onFault: () => undefined,
  });
  const key = generateNodeKey();
  const id = peerIdOfKey(nodeKeyText(key));
  const listen = `/ip4/127.0.0.1/tcp/${await freePort()}`;
  await worker.call('start', id, {
    key: nodeKeyToPem(key),
    listen: [listen],
    directory: join(directory.path, 'peer'),
    pinned: publisher.pinned,
    genesis: [],
    agent: 'bench/1',
    privateAddresses: true,
    inputs: {},
  });
  return {
    id,
    address: `${listen}/p2p/${id}`,
    loopP99: () => worker.call('loopP99'),
    async stop() {
      await worker.stop();
      await publisher.close();
      directory.remove();
      directories.delete(directory.remove);
    },
  };
}
