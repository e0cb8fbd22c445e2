import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import type { PeerStatus } from '@mesh-registry/peer/base/status.ts';
import { loadTrust } from '@mesh-registry/peer/sync/trust-store.ts';
import { peerIdOfKey } from '@mesh-registry/protocol/keys/peer-id.ts';
import type { PublishedTruth } from '@mesh-registry/protocol/truth/truth.schema.ts';
import { TrustError, type Trust } from '@mesh-registry/protocol/truth/trust.ts';
import { CommandError } from '../base/exit.ts';
import type { PeerConfig } from '../config/load.ts';
import { readTrustFile } from '../truth/files.ts';
import { isStatus, type PeerAnswer } from '../peer/status-text.ts';
import { duration } from '../run/clock.ts';
import { fail, ok, warn, type Check } from '../terminal/check.ts';
import { checkLog } from './peer-log.ts';

/** What can be checked of the peer process, whether it runs or not. */

/** A truth or root that expires sooner than this is worth a warning, milliseconds. */
const EXPIRY_WARN_MS = 24 * 3_600_000;
/** A peer that nobody has connected to for so long after its start may not be reachable, milliseconds. */
const REACHED_WITHIN_MS = 3_600_000;
const CONNECT_TIMEOUT_MS = 2000;

export interface PeerFacts {
  section: PeerConfig;
  stateDirectory: string;
  /** The node's public key, as text; null: it cannot be read. */
  key: string | null;
  /** What the running peer process says; null: none runs. */
  running: PeerAnswer | null;
  /** What the service publishes; null: nothing, or it does not say. */
  published: PublishedTruth | null;
}

export async function checkPeer(facts: PeerFacts): Promise<Check[]> {
  const { section, running } = facts;
  const id = facts.key === null ? null : peerIdOfKey(facts.key);
  const ports = section.listen.map((address) => checkPort(address, isStatus(running)));
  return [
    checkRunning(running, id),
    ...(await Promise.all(ports)),
    ...(isStatus(running) ? [checkReach(running)] : []),
    ...checkTrust(facts, id),
  ];
}

function checkRunning(running: PeerAnswer | null, id: string | null): Check {
  if (running === null)
    return warn('Peer process', 'no peer process is running', 'Start it with: mesh-agent peer');
  if (!isStatus(running))
    return running.fault === null
      ? ok('Peer process', 'is starting')
      : warn('Peer process', 'waiting for its port', 'See the check of the listen port.');
  if (id !== null && running.peer !== id)
    return warn(
      'Peer process',
      `the running one has another key: ${running.peer}`,
      'Restart it, or use --state.',
    );
  const { sessions, network, genesis, refusedBy } = running;
  const text = `runs in ${network}, ${sessions.length} connected`;
  if (sessions.length > 0 || genesis.configured === 0) return ok('Peer process', text);
  const reasons = Object.keys(refusedBy);
  const reason = reasons.find((code) => code !== 'busy') ?? reasons[0];
  return reason === undefined
    ? warn(
        'Peer process',
        text,
        'Check the addresses in peer.genesis, and that this machine can reach them.',
      )
    : warn('Peer process', `${text}; others refuse it: ${reason}`, REFUSED[reason] ?? REFUSED_ELSE);
}

const ASK_ABOUT_BAN = "Ask the network's operators: only they can sign the end of a ban.";

/** What to do when others refuse this peer, by their reason. */
const REFUSED: Partial<Record<string, string>> = {
  wrong_network: 'Check that peer.trust and peer.genesis belong to the same network.',
  version: 'Install a newer mesh-agent.',
  clock_skew: 'Set the clock of this machine, and keep it right with NTP.',
  busy: 'They are full. It retries automatically; adding addresses to peer.genesis helps.',
  banned: ASK_ABOUT_BAN,
};
const REFUSED_ELSE =
  "Install a newer mesh-agent. If that doesn't help, report it to its developers.";

/** Whether our own peer process has the port, or can have it. */
async function checkPort(address: string, isRunning: boolean): Promise<Check> {
  const { host, port } = parts(address);
  if (isRunning) {
    return (await answers(host, port))
      ? ok('Listen port', `the peer process listens at ${address}`)
      : fail(
          'Listen port',
          `nothing answers at ${address}`,
          'Restart the peer process: it still uses the previous peer.listen.',
        );
  }
  const problem = await bind(host, port);
  if (problem === null) return ok('Listen port', `${address} is free`);
  return fail(
    'Listen port',
    `the peer can't listen at ${address}: ${problem}`,
    problem === 'EADDRINUSE'
      ? 'Stop the program that uses the port, or choose another with peer.listen.'
      : 'Choose an address of this machine, and a port above 1023, with peer.listen.',
  );
}

/** Whether others have found the way in. Nobody but they can tell. */
function checkReach({ sessions, startedAt }: PeerStatus): Check {
  const inbound = sessions.filter(({ direction }) => direction === 'inbound').length;
  if (inbound > 0) return ok('Reachable', `${inbound} peers have connected to this one`);
  return sessions.length > 0 && Date.now() - Date.parse(startedAt) > REACHED_WITHIN_MS
    ? warn(
        'Reachable',
        'no peer has connected to this one; it works through its own connections only',
        'Forward the port of peer.listen to this machine, and put its public address into peer.announce.',
      )
    : ok('Reachable', 'no peer has connected to this one yet');
}

/** What the peer believes: from its files, so that nothing has to run. And what the service knows beyond that. */
function checkTrust(facts: PeerFacts, id: string | null): Check[] {
  const { section, stateDirectory } = facts;
  let trust: Trust;
  try {
    trust = loadTrust(join(stateDirectory, 'peer'), readTrustFile(section.trust, 'peer.trust'));
  } catch (error) {
    if (error instanceof CommandError) return [fail('Truth', error.message)];
    if (error instanceof TrustError) return [fail('Truth', `peer.trust: ${error.message}`)];
    throw error;
  }
  const truth = checkFreshness(trust, facts.running !== null);
  const published = comparePublished(trust, facts);
  return [
    truth,
    ...published,
    ...(id === null ? [] : [checkBan(trust, id)]),
    ...checkLog(join(stateDirectory, 'peer'), trust, facts.running !== null),
  ];
}

const RENEW =
  "Keep the peer process running: it receives the next one from other peers. If none has it, the network's operators must sign it.";

function checkFreshness({ root, truth }: Trust, isRunning: boolean): Check {
  if (!truth)
    return warn(
      'Truth',
      'none yet',
      isRunning
        ? 'It arrives with the first connection to a peer that has it.'
        : 'Start the peer process: mesh-agent peer',
    );
  const now = Date.now();
  const age = duration(now - Date.parse(truth.issued));
  const left = (document: { expires: string }) => Date.parse(document.expires) - now;
  const [name, ms] =
    left(root) < left(truth) ? (['the root', left(root)] as const) : (['it', left(truth)] as const);
  const version = `version ${truth.version}, signed ${age} ago`;
  if (ms <= 0) return fail('Truth', `${version}; ${name} expired ${duration(-ms)} ago`, RENEW);
  const text = `${version}; ${name} expires in ${duration(ms)}`;
  return ms < EXPIRY_WARN_MS ? warn('Truth', text, RENEW) : ok('Truth', text);
}

/** Believes what the service publishes, if it is newer. A banned peer gets that from nobody else. */
function comparePublished(trust: Trust, { published, running }: PeerFacts): Check[] {
  if (!published) return [];
  const kept = trust.truth?.version ?? 0;
  try {
    for (const root of published.roots) trust.takeRoot(root);
    trust.takeTruth(published.truth);
  } catch (error) {
    if (!(error instanceof TrustError)) throw error;
    // The peer is ahead of it, or its truth has expired, which the service says itself.
    if (error.reason === 'rollback' || error.reason === 'expired') return [];
    return [
      warn(
        'Published truth',
        `this peer can't verify the one that the service publishes: ${error.message}`,
        'If the service belongs to the same network, get its root again from someone you trust, and compare it with peer.trust.',
      ),
    ];
  }
  const newest = trust.truth?.version ?? 0;
  return running && newest > kept
    ? [
        warn(
          'Published truth',
          `the service publishes version ${newest}, the peer process has ${kept}`,
          "Check its log to see why it isn't updated.",
        ),
      ]
    : [];
}

function checkBan(trust: Trust, id: string): Check {
  const ban = trust.banOf(id);
  if (!ban) return ok('Ban', `${id} is not on the ban list`);
  const end = ban.until === null ? '' : ` until ${ban.until}`;
  return fail('Ban', `${id} is banned${end}: ${ban.reason}`, ASK_ABOUT_BAN);
}

/** @param address `/ip4/0.0.0.0/tcp/9900` */
function parts(address: string): { host: string; port: number } {
  const [, , host = '', , port] = address.split('/');
  return { host, port: Number(port) };
}

async function answers(host: string, port: number): Promise<boolean> {
  // A program that listens at all addresses is reached at this one.
  const socket = connect(port, host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host);
  socket.setTimeout(CONNECT_TIMEOUT_MS, () => socket.destroy(new Error('timeout')));
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

/** @returns the code of the problem; null: it works */
async function bind(host: string, port: number): Promise<string | null> {
  const server = createServer();
  try {
    await once(server.listen(port, host), 'listening');
    return null;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? String(error);
  } finally {
    server.close();
  }
}
