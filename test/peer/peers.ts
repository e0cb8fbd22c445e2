import { onTestFinished } from 'vitest';
import { createPeer, type Peer, type PeerOptions } from '@mesh-registry/peer/peer.ts';
import type { PeerEvent } from '@mesh-registry/peer/context.ts';
import { generateNodeKey, nodeKeyText } from '@mesh-registry/protocol/keys/node-key.ts';
import { peerIdOfKey } from '@mesh-registry/protocol/keys/peer-id.ts';
import { createBlock, decodeBlock } from '@mesh-registry/protocol/log/block.ts';
import { NO_HEAD, type Head } from '@mesh-registry/protocol/log/chain.ts';
import { HOUR, iso, loggers, root, truth } from '../support/network-truth.ts';
import { freePort } from '../support/port.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

/** Peers of one network on this machine, as others would run them: real connections, files of their own. */

export interface APeer {
  peer: Peer;
  id: string;
  /** With its id, as a Genesis address. */
  address: string;
  directory: string;
  options: PeerOptions;
  events: PeerEvent[];
  /** Events of a kind so far. */
  of<K extends PeerEvent['kind']>(kind: K): Extract<PeerEvent, { kind: K }>[];
  /** Ends it without saying goodbye to its files or its peers. */
  stop(): Promise<void>;
}

const now = () => Date.now();

/** The signed root, of now. */
export const networkRoot = (fields: Parameters<typeof root>[0] = {}) =>
  root({ issued: iso(now() - HOUR), expires: iso(now() + 1000 * HOUR), ...fields });
/** A signed truth, of now. */
export const networkTruth = (
  fields: Parameters<typeof truth>[0] = {},
  by?: Parameters<typeof truth>[1],
) => truth({ issued: iso(now() - HOUR), expires: iso(now() + 100 * HOUR), ...fields }, by);

export const ROOT = networkRoot();
export const pinned = { roots: [ROOT], truth: null };

/** What is to be done at the end of a test. Tests that run beside others have to say of which. */
export type WhenDone = (cleanUp: () => void | Promise<void>) => void;

/** All peers are on one machine, so the limits for one host are lifted, and they talk often. */
export async function aPeer(
  options: Partial<PeerOptions> = {},
  whenDone: WhenDone = onTestFinished,
): Promise<APeer> {
  const folder = temporaryDirectory();
  whenDone(folder.remove);
  const all = {
    key: generateNodeKey(),
    directory: folder.path,
    pinned,
    genesis: [],
    agent: 'test/1',
    privateAddresses: true,
    connectionsPerHost: 1000,
    connectionsPerHostPerSecond: 1000,
    pointsPerHost: Infinity,
    // Who misses three pings is gone, so they come no faster than a busy machine answers.
    intervals: { ping: 1000, gossip: 300, refresh: 500, dial: 100 },
    ...options,
  };
  for (let attempt = 1; ; attempt++) {
    const listen = [`/ip4/127.0.0.1/tcp/${await freePort()}`];
    try {
      return await startPeer({ listen, ...all }, whenDone);
    } catch (error) {
      // Another test was faster.
      if (attempt === 5 || !String(error).includes('EADDRINUSE')) throw error;
    }
  }
}

/** Starts one with what another one has left. */
export async function startPeer(
  options: PeerOptions,
  whenDone: WhenDone = onTestFinished,
): Promise<APeer> {
  const events: PeerEvent[] = [];
  const peer = await createPeer({ ...options, onEvent: (event) => events.push(event) });
  let stopped: Promise<void> | undefined;
  const stop = () => (stopped ??= peer.stop());
  whenDone(stop);
  const id = peerIdOfKey(nodeKeyText(options.key));
  return {
    peer,
    id,
    address: `${options.listen[0]}/p2p/${id}`,
    directory: options.directory,
    options,
    events,
    of: <K extends PeerEvent['kind']>(kind: K) =>
      events.filter((event): event is Extract<PeerEvent, { kind: K }> => event.kind === kind),
    stop,
  };
}

export const sessionsOf = ({ peer }: APeer): string[] =>
  peer.status.sessions.map((session) => session.peer);
export const isConnected = (one: APeer, other: APeer): boolean =>
  sessionsOf(one).includes(other.id);

/** Signed blocks that continue a log. */
export function blocks(count: number, { height, id }: Head = NO_HEAD, text = 'block'): Buffer[] {
  const frames: Buffer[] = [];
  let prev = id;
  for (let next = height + 1; next <= height + count; next++) {
    const frame = createBlock(
      {
        network: 'mesh.example.org',
        height: next,
        prev,
        time: iso(now()),
        kind: 'test',
        body: Buffer.from(`${text} ${next}`),
      },
      ...loggers,
    );
    prev = decodeBlock(frame).id;
    frames.push(frame);
  }
  return frames;
}
