import type { KeyObject } from 'node:crypto';
import { join } from 'node:path';
import type { Libp2p } from 'libp2p';
import type { BlockLog } from '@mesh-registry/protocol/log/block-log.ts';
import { nodeKeyText } from '@mesh-registry/protocol/keys/node-key.ts';
import { keyOfPeerId, peerIdOfKey } from '@mesh-registry/protocol/keys/peer-id.ts';
import type { Trust, TrustState } from '@mesh-registry/protocol/truth/trust.ts';
import { AddressBook } from './book/address-book.ts';
import { Alarms } from './guard/alarms.ts';
import { BlockSync } from './sync/block-sync.ts';
import { Conduct } from './guard/conduct.ts';
import { ConnectionsPerHost } from './guard/connections-per-host.ts';
import type { PeerContext, PeerEvent } from './context.ts';
import { listen } from './control.ts';
import { Dialer } from './meeting/dialer.ts';
import { Doorway } from './meeting/doorway.ts';
import { Gossip } from './sync/gossip.ts';
import { createHost } from './session/host.ts';
import { LIMITS } from './base/limits.ts';
import { BLOCKS, CONTROL, TRUTH, type Have, type Hello } from './session/messages.schema.ts';
import { ownAddresses } from './records/peer-record.ts';
import { PeerFiles } from './sync/peer-files.ts';
import { isContradicted, openPeerLog } from './sync/peer-log.ts';
import type { Lookup } from './addresses/resolve.ts';
import type { Session } from './session/session.ts';
import { closeConnection, placesOf, Sessions } from './session/sessions.ts';
import type { PeerStatus } from './base/status.ts';
import { loadTrust, saveTrust } from './sync/trust-store.ts';
import { TruthSync } from './sync/truth-sync.ts';

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

/** A node among nodes: knows who is there, how far away, what is true, who is banned, and what the log says. */
export class Peer {
  readonly trust: Trust;
  readonly #options: PeerOptions;
  readonly #context: PeerContext;
  readonly #host: Libp2p;
  readonly #doorway: Doorway;
  readonly #dialer: Dialer;
  readonly #gossip: Gossip;
  readonly #truth: TruthSync;
  readonly #blocks: BlockSync;
  readonly #conduct: Conduct;
  readonly #files: PeerFiles;
  readonly #alarms: Alarms;
  readonly #intervals: Intervals;
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #startedAt = new Date().toISOString();
  #announcing: NodeJS.Timeout | undefined;

  /** @throws TrustError, DamagedLogError, or what opening the port or the files throws */
  static async start(options: PeerOptions): Promise<Peer> {
    const trust = loadTrust(options.directory, options.pinned);
    const log = openPeerLog(join(options.directory, 'log'), trust);
    const files = new PeerFiles(options.directory, (message) =>
      options.onEvent?.({ kind: 'storage', message }),
    );
    const conduct = new Conduct({ state: files.readConduct() });
    const hosts = new ConnectionsPerHost(
      options.connectionsPerHost ?? LIMITS.connectionsPerHost,
      options.connectionsPerHostPerSecond ?? LIMITS.connectionsPerHostPerSecond,
    );
    const isRefused = (peer: string) => conduct.refusedUntil(peer) !== null;
    const host = await createHost({
      key: options.key,
      listen: options.listen,
      maxPeers: options.maxPeers ?? LIMITS.sessions,
      receives: (connection) => hosts.begin(connection),
      // The hello tells a peer that the truth bans it.
      admits: (peer, connection) =>
        keyOfPeerId(peer) !== null && !isRefused(peer) && hosts.enter(connection),
      dials: (peer) => !isRefused(peer) && !trust.banOf(peer),
    });
    const peer = new Peer(options, { trust, log, conduct, files, host });
    await peer.#open();
    return peer;
  }

  private constructor(
    options: PeerOptions,
    {
      trust,
      log,
      conduct,
      files,
      host,
    }: { trust: Trust; log: BlockLog; conduct: Conduct; files: PeerFiles; host: Libp2p },
  ) {
    this.#options = options;
    this.trust = trust;
    this.#conduct = conduct;
    this.#files = files;
    this.#host = host;
    this.#alarms = new Alarms(options.directory);
    this.#intervals = { ...INTERVALS, ...options.intervals };
    const { maxPeers = LIMITS.sessions, outbound = LIMITS.outboundSessions } = options;
    const id = peerIdOfKey(nodeKeyText(options.key));
    const isRefused = (peer: string) =>
      conduct.refusedUntil(peer) !== null || trust.banOf(peer) !== undefined;
    const context: PeerContext = {
      me: { id, key: options.key },
      agent: options.agent,
      trust,
      log,
      book: new AddressBook({
        network: trust.network,
        self: id,
        privateAddresses: options.privateAddresses ?? false,
        isRefused,
        state: files.readBook(),
      }),
      sessions: new Sessions(
        id,
        placesOf(maxPeers - outbound, this.#intervals.visit),
        (session, reason) => {
          this.#dialer.left(session);
          context.emit({ kind: 'disconnected', peer: session.peer, reason });
        },
      ),
      have: () => this.#have(),
      announce: () => this.#announce(),
      punish: (peer, points, why) => this.#punish(peer, points, why),
      emit: (event) => options.onEvent?.(event),
    };
    this.#context = context;
    this.#gossip = new Gossip(context, () =>
      ownAddresses(
        options.announce,
        host.getMultiaddrs().map((address) => address.toString()),
        options.privateAddresses ?? false,
      ),
    );
    this.#doorway = new Doorway(context, host, {
      record: () => this.#gossip.own,
      onSession: (session, hello) => this.#begin(session, hello),
    });
    this.#dialer = new Dialer(context, {
      dial: (peer, addresses) => this.#doorway.dial(peer, addresses),
      lookup: options.lookup,
      genesis: options.genesis,
      outbound,
      privateAddresses: options.privateAddresses ?? false,
      isRefused,
    });
    this.#truth = new TruthSync(context, {
      onTruth: () => this.#believe(),
      onFork: (detail, document) => this.#alarm('truth_fork', detail, document),
    });
    this.#blocks = new BlockSync(context, {
      onFork: ({ message, block }) =>
        this.#alarm('log_fork', message, block?.frame ?? new Uint8Array()),
      onReplaced: (kept, last) =>
        this.#alarm(
          'log_fork',
          `The log was not the one that the truth names, and was replaced. It is kept in ${kept}.`,
          last,
        ),
      askTruth: (session) => this.#truth.ask(session),
      batchMs: options.batchMs ?? LIMITS.batchMs,
    });
  }

  async #open(): Promise<void> {
    saveTrust(this.#options.directory, this.trust);
    await this.#host.handle(
      CONTROL,
      (stream, connection) => this.#doorway.accept(stream, connection),
      {
        maxInboundStreams: 1,
        maxOutboundStreams: 1,
      },
    );
    const streams = { maxInboundStreams: LIMITS.streamsPerProtocol, maxOutboundStreams: 4 };
    await this.#host.handle(
      TRUTH,
      (stream, connection) => this.#truth.serve(stream, connection),
      streams,
    );
    await this.#host.handle(
      BLOCKS,
      (stream, connection) => this.#blocks.serve(stream, connection),
      streams,
    );
    this.#host.addEventListener('connection:close', ({ detail }) => {
      const session = this.#context.sessions.on(detail);
      // Its last message, such as the reason why it leaves, has come and is about to be read.
      if (session) setImmediate(() => this.#context.sessions.end(session, 'closed'));
    });
    this.#gossip.renew();
    this.#every(this.#intervals.renew, () => this.#gossip.renew());
    this.#every(this.#intervals.gossip, () => this.#gossip.ask());
    this.#every(this.#intervals.gossip / 5, () => this.#gossip.askAgain());
    this.#every(this.#intervals.dial, () => this.#dialer.tick());
    this.#every(this.#intervals.save, () => this.#saveBook());
    this.#every(this.#intervals.refresh, () => {
      this.#truth.refresh();
      void this.#blocks.audit();
    });
    this.#dialer.tick();
  }

  /** Says goodbye to every session and stores what is known. */
  async stop(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    clearTimeout(this.#announcing);
    this.#saveBook();
    for (const session of this.#context.sessions) session.send({ t: 'bye', code: 'stopping' });
    await this.#host.stop();
    this.#files.saveConduct(this.#conduct);
    await this.#context.log.close();
  }

  get log(): BlockLog {
    return this.#context.log;
  }

  /** Believes what the operator brings. @returns whether it is new */
  takeTruth(state: TrustState): boolean {
    return this.#truth.take(state);
  }

  /** Takes blocks of the operator's own log, in their order. @returns how many @throws BlockError */
  takeBlocks(frames: readonly Uint8Array[]): Promise<number> {
    return this.#blocks.take(frames);
  }

  get status(): PeerStatus {
    const { me, trust, sessions, book, log } = this.#context;
    const { root, truth } = trust;
    return {
      peer: me.id,
      network: trust.network,
      startedAt: this.#startedAt,
      addresses: this.#host.getMultiaddrs().map((address) => address.toString()),
      genesis: this.#dialer.genesis,
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
      log: {
        height: log.head.height,
        id: log.head.id,
        contradicted: isContradicted(log, trust),
      },
      refusals: { ...this.#doorway.refusals },
      refusedBy: this.#doorway.refusedBy,
      alarms: this.#alarms.status,
    };
  }

  #begin(session: Session, { record }: Hello): void {
    const { peer } = session;
    this.#context.emit({
      kind: 'connected',
      peer,
      direction: session.outbound ? 'outbound' : 'inbound',
    });
    void listen(session, this.#context, {
      gossip: this.#gossip,
      onHave: () => this.#follow(session),
    });
    if (record) this.#gossip.take([record], session);
    this.#gossip.askOf(session);
    session.ping();
    const timer = this.#every(this.#intervals.ping, () => {
      if (!session.ping()) this.#context.sessions.end(session, 'no pong');
    });
    session.ended.addEventListener('abort', () => {
      clearInterval(timer);
      this.#timers.delete(timer);
    });
    this.#follow(session);
  }

  #follow(session: Session): void {
    this.#truth.follow(session);
    this.#blocks.follow(session);
  }

  #have(): Have {
    const { trust, log } = this.#context;
    return {
      root: trust.root.version,
      truth: trust.truth?.version ?? 0,
      height: log.head.height,
    };
  }

  #announce(): void {
    this.#announcing ??= setTimeout(() => {
      this.#announcing = undefined;
      for (const session of this.#context.sessions) session.tell(this.#have());
    }, ANNOUNCE_DELAY_MS).unref();
  }

  /** Takes a newer root or truth: stores it first, then acts on it, then tells others. */
  #believe(): void {
    const { root, truth } = this.trust;
    this.#files.store(() => saveTrust(this.#options.directory, this.trust));
    this.#context.emit({ kind: 'truth', root: root.version, truth: truth?.version ?? 0 });
    for (const { peer } of truth?.bans ?? [])
      if (this.trust.banOf(peer)) this.#expel(peer, 'banned');
    if (truth && isContradicted(this.log, this.trust))
      this.#alarm(
        'log_fork',
        `The truth names another block ${truth.log.height} than this log has.`,
        this.log.read(truth.log.height) ?? new Uint8Array(),
      );
    this.#announce();
    this.#blocks.retry();
  }

  #expel(peer: string, code: 'banned' | 'misbehaviour'): void {
    const { sessions, book } = this.#context;
    const session = sessions.get(peer);
    if (session) sessions.dismiss(session, code);
    if (code === 'banned') book.remove(peer);
    for (const connection of this.#host.getConnections())
      if (connection.remotePeer.toString() === peer && connection !== session?.connection)
        closeConnection(connection);
  }

  #punish(peer: string, points: number, why: string): void {
    this.#context.emit({ kind: 'fault', peer, points, why });
    if (!this.#conduct.punish(peer, points)) return;
    this.#files.saveConductSoon(this.#conduct);
    this.#expel(peer, 'misbehaviour');
  }

  #alarm(kind: 'truth_fork' | 'log_fork', detail: string, evidence: Uint8Array): void {
    const alarm = this.#alarms.raise(kind, detail, evidence);
    if (!alarm) return;
    this.#files.store(() => this.#alarms.save());
    this.#context.emit({ kind: 'alarm', alarm });
  }

  #saveBook(): void {
    const { book, sessions } = this.#context;
    book.lasting([...sessions].map(({ peer }) => peer));
    this.#files.saveBook(book);
  }

  #every(ms: number, action: () => void): NodeJS.Timeout {
    const timer = setInterval(action, ms).unref();
    this.#timers.add(timer);
    return timer;
  }
}
