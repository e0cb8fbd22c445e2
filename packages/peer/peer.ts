import type { KeyObject } from 'node:crypto';
import { join } from 'node:path';
import type { Connection, Stream } from '@libp2p/interface';
import { readJsonIfWhole, writeDurable } from '@mesh-registry/protocol/durable-file.ts';
import { nodeKeyText } from '@mesh-registry/protocol/keys/node-key.ts';
import { keyOfPeerId, peerIdOfKey } from '@mesh-registry/protocol/keys/peer-id.ts';
import type { TrustState } from '@mesh-registry/protocol/truth/trust.ts';
import { AddressBook } from './book/address-book.ts';
import { Alarms } from './guard/alarms.ts';
import { BlockSync, type PackedBlocks } from './sync/block-sync.ts';
import { Conduct, HOST_REFUSED_AT } from './guard/conduct.ts';
import { Backlog } from './guard/backlog.ts';
import { Budgets } from './guard/budgets.ts';
import { OpenConnections } from './guard/open-connections.ts';
import type { Culprit, PeerContext, PeerEvent } from './context.ts';
import { listen } from './control.ts';
import { Dialer } from './meeting/dialer.ts';
import { Doorway } from './meeting/doorway.ts';
import { Gossip } from './sync/gossip.ts';
import { createHost } from './session/host.ts';
import { LIMITS } from './base/limits.ts';
import { BLOCKS, CONTROL, TRUTH, type Have, type Hello } from './session/messages.schema.ts';
import { ownAddresses } from './records/peer-record.ts';
import { isContradicted, openPeerLog } from './sync/peer-log.ts';
import type { Lookup } from './addresses/resolve.ts';
import type { Session } from './session/session.ts';
import { closeConnection, placesOf, Sessions } from './session/sessions.ts';
import type { Alarm, PeerStatus } from './base/status.ts';
import { loadTrust, saveTrust } from './sync/trust-store.ts';
import { TruthSync } from './sync/truth-sync.ts';
import { Uploads } from './sync/uploads.ts';

export interface PeerOptions {
  /** The node's private key. */
  key: KeyObject;
  /** Where everything that outlives the process is kept. */
  directory: string;
  /** The root that the operator trusts, alone or with later ones and a truth. */
  pinned: TrustState;
  /** Multiaddrs to listen at; none: it only dials. */
  listen: readonly string[];
  /** Addresses that others are given instead of `listen`, such as that of a forwarded port. */
  announce?: readonly string[];
  /** Multiaddrs of the bootstrap peers, with /p2p/. */
  genesis: readonly string[];
  /** Name and version of the program, at most 64 characters. */
  agent: string;
  /** How many sessions to dial. */
  outbound?: number;
  /** How many sessions to have, those that it dials included. */
  maxPeers?: number;
  /** Whether to dial and announce private addresses, as a network within a private one needs. */
  privateAddresses?: boolean;
  /** How names become addresses, in place of the system and of its name servers. */
  lookup?: Lookup;
  /** How many connections of one host that come in may be open, and begin in a second. */
  connectionsPerHost?: number;
  connectionsPerHostPerSecond?: number;
  /** How many connections may be open whose hello has not succeeded yet. */
  strangers?: number;
  /** Points at which nobody new may come in from a host. */
  pointsPerHost?: number;
  /** How many bytes may wait for peers that do not read, on all connections. */
  backlogBytes?: number;
  /** How many bytes of blocks and truths all peers are sent a second, 262,144 or more; without it, as many as they ask for. */
  maxUploadRate?: number | undefined;
  /** How long a batch of blocks may take, milliseconds. */
  batchMs?: number;
  intervals?: Partial<Intervals>;
  onEvent?: (event: PeerEvent) => void;
}

/** How often a peer does what it does by itself, milliseconds. */
interface Intervals {
  ping: number;
  /** Asking a peer for the peers it knows; five times as often while there is something to learn. */
  gossip: number;
  /** Asking for root and truth, and comparing the log. */
  refresh: number;
  /** Looking for peers to dial. */
  dial: number;
  /** Keeping the address book. */
  save: number;
  /** How long a newcomer stays for whom there is no room. */
  visit: number;
  /** Signing its own record anew. */
  renew: number;
}

export const INTERVALS: Intervals = {
  ping: LIMITS.pingMs,
  gossip: 10_000,
  refresh: 60_000,
  dial: 1000,
  save: 60_000,
  visit: LIMITS.visitMs,
  renew: LIMITS.recordRenewMs,
};

/** Changes within this many milliseconds are announced together. */
const ANNOUNCE_DELAY_MS = 20;

/** Several refusals in a row are stored as one, after so many milliseconds, and not again before so many have passed. */
const CONDUCT_DELAY_MS = 1000;
const CONDUCT_REST_MS = 60_000;

export type Peer = Awaited<ReturnType<typeof createPeer>>;

/**
 * Starts a node among nodes: it learns who is there, how far away, what is true, who is banned, and what the log says.
 * @throws TrustError, DamagedLogError, or what opening the port or the files throws
 */
export async function createPeer(options: PeerOptions) {
  const { key, directory, announce: announced, privateAddresses = false } = options;
  const { maxPeers = LIMITS.sessions, outbound = LIMITS.outboundSessions } = options;
  const bookFile = join(directory, 'peers.json');
  const conductFile = join(directory, 'conduct.json');
  const intervals = { ...INTERVALS, ...options.intervals };
  const timers = new Set<NodeJS.Timeout>();
  const startedAt = new Date().toISOString();
  let announcing: NodeJS.Timeout | undefined;
  let savingConduct: NodeJS.Timeout | undefined;
  let conductSavedAt = -Infinity;

  const trust = loadTrust(directory, options.pinned);
  const log = openPeerLog(join(directory, 'log'), trust);
  const { pointsPerHost = HOST_REFUSED_AT } = options;
  const conduct = new Conduct({
    state: readJsonIfWhole(conductFile),
    hostRefusedAt: pointsPerHost,
  });
  const {
    connectionsPerHost = LIMITS.connectionsPerHost,
    connectionsPerHostPerSecond = LIMITS.connectionsPerHostPerSecond,
    strangers = LIMITS.strangers,
  } = options;
  const budgets = new Budgets({ connectionsPerHost, connectionsPerHostPerSecond });
  const budgetOf = ({ remoteAddr }: Pick<Connection, 'remoteAddr'>) =>
    budgets.of(remoteAddr.toString());
  const backlog = new Backlog(options.backlogBytes ?? LIMITS.backlogBytesInAll);
  const uploads = new Uploads(options.maxUploadRate);
  const open = new OpenConnections({ perHost: connectionsPerHost, strangers });
  const misbehaved = (peer: string) => conduct.refusedUntil(peer) !== null;
  const isRefused = (peer: string) => misbehaved(peer) || trust.banOf(peer) !== undefined;
  const host = await createHost({
    key,
    listen: options.listen,
    receives: (connection) => budgetOf(connection).take('connections', 1) && open.enter(connection),
    // A banned peer gets in as far as the hello, which tells it of the ban.
    admits: (peer) => keyOfPeerId(peer) !== null && !misbehaved(peer),
    dials: (peer) => !isRefused(peer),
    budgetOf: (address) => budgets.of(address),
    backlog,
  });
  const alarms = new Alarms(directory);
  const id = peerIdOfKey(nodeKeyText(key));
  const book = new AddressBook({
    network: trust.network,
    self: id,
    privateAddresses,
    isRefused,
    state: readJsonIfWhole(bookFile),
  });
  const places = placesOf(maxPeers - outbound, intervals.visit);
  const sessions = new Sessions(id, places, onSessionEnd);
  const context: PeerContext = {
    me: { id, key },
    agent: options.agent,
    trust,
    log,
    book,
    sessions,
    have,
    announce,
    punish,
    alarm,
    emit,
  };
  const listeningAt = () => host.getMultiaddrs().map((address) => address.toString());
  const gossip = new Gossip(context, () =>
    ownAddresses(announced, listeningAt(), privateAddresses),
  );
  const doorway = new Doorway(context, host, {
    record: () => gossip.own,
    isHostRefused: ({ remoteAddr }) => conduct.isHostRefused(remoteAddr.toString()),
    budgetOf,
    onSession,
  });
  const dialer = new Dialer(context, {
    dial: (peer, addresses) => doorway.dial(peer, addresses),
    lookup: options.lookup,
    genesis: options.genesis,
    outbound,
    privateAddresses,
    isRefused,
  });
  const truthSync = new TruthSync(context, { uploads, onTruth });
  const blockSync = new BlockSync(context, {
    uploads,
    askTruth: (session) => truthSync.ask(session),
    batchMs: options.batchMs ?? LIMITS.batchMs,
  });

  saveTrust(directory, trust);
  const one = { maxInboundStreams: 1, maxOutboundStreams: 1 };
  const few = { maxInboundStreams: LIMITS.streamsPerProtocol, maxOutboundStreams: 4 };
  const counted =
    (serve: (stream: Stream, connection: Connection) => Promise<void>) =>
    (stream: Stream, connection: Connection) => {
      backlog.count(stream);
      return serve(stream, connection);
    };
  await host.handle(
    CONTROL,
    counted((...to) => doorway.accept(...to)),
    one,
  );
  await host.handle(
    TRUTH,
    counted((...to) => truthSync.serve(...to)),
    few,
  );
  await host.handle(
    BLOCKS,
    counted((...to) => blockSync.serve(...to)),
    few,
  );
  host.addEventListener('connection:close', ({ detail }) => {
    const session = sessions.on(detail);
    // Its last message, such as the reason why it leaves, has come and is about to be read.
    if (session) setImmediate(() => sessions.end(session, 'closed'));
  });
  gossip.renew();
  every(intervals.renew, () => gossip.renew());
  every(intervals.gossip, () => gossip.ask());
  every(intervals.gossip / 5, () => gossip.askAgain());
  every(intervals.dial, () => dialer.tick());
  every(intervals.save, saveBook);
  every(intervals.refresh, () => {
    truthSync.refresh();
    void blockSync.audit();
  });
  dialer.tick();

  return {
    trust,
    log,

    /** Says goodbye to every session and stores what is known. */
    async stop(): Promise<void> {
      for (const timer of timers) clearInterval(timer);
      clearTimeout(announcing);
      saveBook();
      for (const session of sessions) session.send({ t: 'bye', code: 'stopping' });
      await host.stop();
      saveConduct();
      await log.close();
    },

    /** Believes what the operator brings. @returns whether it is new */
    takeTruth: (state: TrustState): boolean => truthSync.take(state),

    /** Takes blocks of the operator's own log, in their order. @returns how many @throws BlockError */
    takeBlocks: (frames: readonly Uint8Array[]): Promise<number> => blockSync.take(frames),

    /**
     * Blocks from a height on, up to 4 MiB.
     * @returns null: they are being fetched again
     * @throws what the file system throws, also while the parts are read
     */
    blocks: (from: number): PackedBlocks | null => blockSync.read(from),

    get status(): PeerStatus {
      const { root, truth } = trust;
      const { height, id: blockId } = log.head;
      return {
        peer: id,
        network: trust.network,
        startedAt,
        addresses: listeningAt(),
        genesis: dialer.genesis,
        sessions: [...sessions].map(({ status }) => status),
        known: book.size,
        root: { version: root.version, expires: root.expires },
        truth: truth && {
          version: truth.version,
          issued: truth.issued,
          expires: truth.expires,
          bans: truth.bans.length,
        },
        stale: trust.stale,
        log: { height, id: blockId, contradicted: isContradicted(log, trust) },
        refusals: { ...doorway.refusals },
        refusedBy: doorway.refusedBy,
        alarms: alarms.status,
      };
    },
  };

  function onSession(session: Session, { record }: Hello): void {
    const { peer } = session;
    emit({ kind: 'connected', peer, direction: session.outbound ? 'outbound' : 'inbound' });
    open.acquaint(session.connection);
    gossip.askOf(session);
    session.ping();
    const timer = every(intervals.ping, () => {
      if (!session.ping()) sessions.end(session, 'no pong');
    });
    session.ended.addEventListener('abort', () => {
      clearInterval(timer);
      timers.delete(timer);
    });
    follow(session);
    // Comes last, because it may end the session at once.
    void listen(session, context, { gossip, record, onHave: () => follow(session) });
  }

  function onSessionEnd(session: Session, reason: string): void {
    dialer.left(session);
    emit({ kind: 'disconnected', peer: session.peer, reason });
  }

  function follow(session: Session): void {
    truthSync.follow(session);
    blockSync.follow(session);
  }

  function have(): Have {
    return {
      root: trust.root.version,
      truth: trust.truth?.version ?? 0,
      height: log.head.height,
    };
  }

  function announce(): void {
    announcing ??= setTimeout(() => {
      announcing = undefined;
      for (const session of sessions) session.tell(have());
    }, ANNOUNCE_DELAY_MS).unref();
  }

  /** A newer root or truth is stored first, then acted on, then told to others. */
  function onTruth(): void {
    const { root, truth } = trust;
    store(() => saveTrust(directory, trust));
    emit({ kind: 'truth', root: root.version, truth: truth?.version ?? 0 });
    for (const { peer } of truth?.bans ?? []) if (trust.banOf(peer)) expel(peer, 'banned');
    if (truth && isContradicted(log, trust))
      alarm(
        'log_fork',
        `The truth names another block ${truth.log.height} than this log has.`,
        log.read(truth.log.height) ?? new Uint8Array(),
      );
    announce();
    blockSync.retry();
  }

  function expel(peer: string, code: 'banned' | 'misbehaviour'): void {
    const session = sessions.get(peer);
    if (session) sessions.dismiss(session, code);
    if (code === 'banned') book.remove(peer);
    for (const connection of host.getConnections())
      if (connection.remotePeer.toString() === peer && connection !== session?.connection)
        closeConnection(connection);
  }

  function punish({ peer, connection }: Culprit, points: number, why: string): void {
    emit({ kind: 'fault', peer, points, why });
    if (!conduct.punish(peer, points, connection.remoteAddr.toString())) return;
    // Not stored for each peer: whoever comes with many identities would keep the disk busy.
    const rest = conductSavedAt + CONDUCT_REST_MS - performance.now();
    savingConduct ??= setTimeout(saveConduct, Math.max(CONDUCT_DELAY_MS, rest)).unref();
    expel(peer, 'misbehaviour');
  }

  function alarm(kind: Alarm['kind'], detail: string, evidence: Uint8Array): void {
    const raised = alarms.raise(kind, detail, evidence);
    if (!raised) return;
    store(() => alarms.save());
    emit({ kind: 'alarm', alarm: raised });
  }

  function saveBook(): void {
    book.lasting([...sessions].map(({ peer }) => peer));
    store(() => writeDurable(bookFile, JSON.stringify(book.state)));
  }

  function saveConduct(): void {
    clearTimeout(savingConduct);
    savingConduct = undefined;
    conductSavedAt = performance.now();
    store(() => writeDurable(conductFile, JSON.stringify(conduct.state)));
  }

  /** A full disk ends nothing: what is in memory goes on, and is stored the next time. */
  function store(write: () => void): void {
    try {
      write();
    } catch (error) {
      emit({ kind: 'storage', message: (error as Error).message });
    }
  }

  function emit(event: PeerEvent): void {
    options.onEvent?.(event);
  }

  function every(ms: number, action: () => void): NodeJS.Timeout {
    const timer = setInterval(action, ms).unref();
    timers.add(timer);
    return timer;
  }
}
