import { once } from 'node:events';
import { join } from 'node:path';
import { PROTOCOL_VERSION } from '@mesh-registry/peer/base/limits.ts';
import type { Peer, PeerOptions } from '@mesh-registry/peer/peer.ts';
import type { Config, PeerConfig } from '../config/load.ts';
import { socketFile, stateDirectory } from '../config/paths.ts';
import { readIdentity } from '../identity/key-file.ts';
import { startHealthServer } from '../peer/health-server.ts';
import { journalEvents } from '../peer/event-journal.ts';
import { readTrustFile } from '../truth/files.ts';
import { Inputs } from '../peer/inputs.ts';
import { startPeer } from '../peer/start.ts';
import type { PeerAnswer } from '../peer/status-text.ts';
import { createWatch } from '../peer/watch.ts';
import type { Journal } from '../run/journal.ts';
import { openSockets } from '../run/sockets.ts';
import { configurationError, EXIT } from '../base/exit.ts';
import type { Io } from '../terminal/io.ts';
import { configOf, type CommonOptions } from './kit.ts';
import { endBy, journalOf } from './run.ts';

interface PeerCommandOptions extends CommonOptions {
  /** False: --no-genesis. */
  genesis: boolean;
  health?: string;
  watch?: boolean;
}

/** `mesh-agent peer` */
export async function peer(io: Io, options: PeerCommandOptions): Promise<number> {
  if (io.env['DUMP_SESSION_KEYS'])
    throw configurationError(
      'DUMP_SESSION_KEYS is set: everybody who sees the output could read the connections. Unset it.',
    );
  const config = configOf(io, options);
  const section = requirePeer(config);
  const genesis = genesisOf(config.file, section, options.genesis);
  const { key } = readIdentity(config, io.env);
  const pinned = readTrustFile(section.trust, 'peer.trust');
  const watch = options.watch ? createWatch(io, journalOf(io, options), options) : null;
  const journal = watch?.journal ?? journalOf(io, options);
  const directory = stateDirectory(options.state, io.env);

  // The socket comes first: it is the lock of what the peer keeps.
  let status = (): PeerAnswer => ({ starting: true, fault: null });
  const sockets = await openSockets({
    directory,
    file: socketFile(options.state, io.env, 'peer.sock'),
    program: 'peer process',
    status: () => status(),
  });
  const closing: (() => void | Promise<void>)[] = [];
  const ending = new AbortController();
  endBy(['SIGTERM', 'SIGINT', 'SIGHUP'], ending, journal);
  try {
    const wanted: PeerOptions = {
      key,
      directory: join(directory, 'peer'),
      pinned,
      listen: section.listen,
      ...(section.announce && { announce: section.announce }),
      genesis,
      agent: `mesh-agent/${io.version}`,
      outbound: section.outbound,
      maxPeers: section.max_peers,
      maxUploadRate: section.max_upload_rate,
      privateAddresses: section.private_addresses,
      onEvent: journalEvents(journal),
    };
    const running = await startPeer(wanted, {
      signal: ending.signal,
      onWaiting(message) {
        status = () => ({ starting: true, fault: message });
        journal.warn('port_taken', message);
      },
    });
    if (running === null) return EXIT.ok;
    status = () => running.status;
    closing.push(() => running.stop());
    const health = await startHealth(options.health ?? section.health, running, journal);
    closing.push(() => health?.close());
    const inputs = new Inputs(running, section, journal);
    const { network, peer: id } = running.status;
    journal.info('started', `mesh-agent ${io.version}: peer ${id} of ${network}.`, {
      peer: id,
      network,
    });
    inputs.start();
    closing.push(() => inputs.stop());
    watch?.start(() => running.status);
    await untilAborted(ending.signal);
    return EXIT.ok;
  } finally {
    watch?.stop();
    for (const close of closing.reverse()) await close();
    sockets.close();
  }
}

/** The section [peer]. @throws CommandError if there is none */
export function requirePeer({ file, peer }: Config): PeerConfig {
  if (peer) return peer;
  throw configurationError(
    `${file} has no section [peer]: add it with trust, the file of the network's signed root, and genesis, the addresses of its bootstrap peers.`,
  );
}

/** Leaving out Genesis takes a word of its own, because such a peer may be alone without noticing. */
function genesisOf(file: string, { genesis }: PeerConfig, wanted: boolean): readonly string[] {
  if (!wanted) return [];
  if (genesis.length > 0) return genesis;
  throw configurationError(
    `${file} names no bootstrap peer: put its address into peer.genesis. To start without one, for a test or on the Genesis host itself, say --no-genesis.`,
  );
}

/** @param address `HOST:PORT`; undefined: none is wanted */
async function startHealth(address: string | undefined, peer: Peer, journal: Journal) {
  if (address === undefined) return null;
  const server = await startHealthServer(address, {
    protocol: PROTOCOL_VERSION,
    status: () => peer.status,
    trust: () => peer.trust.state,
    blocks: (from) => peer.blocks(from),
  });
  const { url, warning } = server;
  journal.info('health', `Health at ${url}/health, metrics at ${url}/metrics.`, { url });
  if (warning) journal.warn('health_exposed', warning);
  return server;
}

async function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  // Of a peer that only dials nothing else keeps the process running.
  const alive = setInterval(() => {}, 60_000);
  await once(signal, 'abort');
  clearInterval(alive);
}
