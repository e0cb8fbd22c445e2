import { setTimeout as sleep } from 'node:timers/promises';
import { join } from 'node:path';
import {
  generateNodeKey,
  nodeKeyText,
  nodeKeyToPem,
} from '@mesh-registry/protocol/keys/node-key.ts';
import { peerIdOfKey } from '@mesh-registry/protocol/keys/peer-id.ts';
import type { PeerStatus } from '@mesh-registry/peer/base/status.ts';
import { freePort } from '../../test/support/port.ts';
import { temporaryDirectory } from '../../test/support/temporary-directory.ts';
import { moment, type Target } from './progress.ts';
import { Publisher } from './publisher.ts';
import { startWorker, type WorkerProcess } from './worker-process.ts';
import type { StartOptions } from './worker.ts';

export interface NetworkOptions {
  /** The built worker. */
  program: string;
  /** The Nodes that run it, in turns. */
  nodes: readonly string[];
  nodeArgs: readonly string[];
  peers: number;
  /** Over which the peers are spread evenly. */
  processes: number;
  /** How many sessions each peer dials; by default as many as in production. */
  outbound?: number;
}

/** So many peers start at the same time. */
const STARTS_AT_A_TIME = 20;
/** The longest wait for a target, ms. */
const PATIENCE_MS = 300_000;

/** A peer of the network, in whichever process it is. */
export class BenchPeer {
  constructor(
    readonly id: string,
    private readonly options: StartOptions,
    public process: WorkerProcess,
  ) {}

  /** Where it is dialled, with its id. */
  get address(): string {
    return `${this.options.listen[0]}/p2p/${this.id}`;
  }

  start(): Promise<void> {
    return this.process.call('start', this.id, this.options);
  }

  /** @returns the moment at which it reached the target */
  reach(target: Target): Promise<number> {
    return this.process.call('reach', this.id, target);
  }

  get status(): Promise<PeerStatus> {
    return this.process.call('status', this.id);
  }

  /** Takes what is new in its truth file and its log. @returns when it began */
  look(): Promise<number> {
    return this.process.call('look', this.id);
  }
}

/** Peers of one network on this machine. The first is Genesis; the others know only its address. */
export class Network {
  readonly publisher: Publisher;
  peers: BenchPeer[] = [];
  processes: WorkerProcess[] = [];
  /** Of the processes before their first peer. */
  before: Usage = { cpuSeconds: [], residentMb: [] };
  /** When the first peer was told to start. */
  startedAt = 0;
  /** Why a peer punished another, or what it could not read. A bug, because no peer of the network misbehaves. */
  readonly faults: string[] = [];
  readonly #directory = temporaryDirectory();
  readonly #expelled = new Set<BenchPeer>();

  constructor(private readonly options: NetworkOptions) {
    this.publisher = new Publisher(this.#directory.path);
  }

  async start(): Promise<void> {
    const { peers, processes } = this.options;
    this.processes = await Promise.all(
      Array.from({ length: processes }, (_, n) => this.#process(n)),
    );
    this.before = this.usage;
    while (this.peers.length < peers) this.#addPeer(await freePort());
    this.startedAt = moment();
    await this.genesis.start();
    for (let next = 1; next < peers; next += STARTS_AT_A_TIME)
      await Promise.all(
        this.peers.slice(next, next + STARTS_AT_A_TIME).map((peer) => peer.start()),
      );
  }

  #process(n: number): Promise<WorkerProcess> {
    const { program, nodes, nodeArgs } = this.options;
    const node = nodes[n % nodes.length] ?? process.execPath;
    return startWorker({ program, node, nodeArgs, onFault: (fault) => this.faults.push(fault) });
  }

  #addPeer(port: number): void {
    const number = this.peers.length;
    const process = this.processes[number % this.processes.length];
    if (!process) throw new Error('A network has at least one process.');
    const key = generateNodeKey();
    const id = peerIdOfKey(nodeKeyText(key));
    const { outbound, peers } = this.options;
    const { pinned, truthFile, logDirectory } = this.publisher;
    const options: StartOptions = {
      key: nodeKeyToPem(key),
      listen: [`/ip4/127.0.0.1/tcp/${port}`],
      directory: join(this.#directory.path, id),
      pinned,
      genesis: this.peers.slice(0, 1).map(({ address }) => address),
      agent: 'bench/1',
      ...(outbound !== undefined && { outbound }),
      maxPeers: Math.max(128, peers + 32),
      // All of them are on one host.
      privateAddresses: true,
      connectionsPerHost: 10_000,
      connectionsPerHostPerSecond: 10_000,
      inputs: number === 0 ? { truth_file: truthFile, log: logDirectory } : {},
    };
    this.peers.push(new BenchPeer(id, options, process));
  }

  get genesis(): BenchPeer {
    const [genesis] = this.peers;
    if (!genesis) throw new Error('A network has at least one peer.');
    return genesis;
  }

  /** Whether each dials enough to have a session with each other one. */
  get isFullMesh(): boolean {
    return (this.options.outbound ?? 0) >= this.peers.length - 1;
  }

  /** All but those that are banned. */
  get members(): BenchPeer[] {
    return this.peers.filter((peer) => !this.#expelled.has(peer));
  }

  /** The members apart from Genesis. */
  get others(): BenchPeer[] {
    return this.members.filter((peer) => peer !== this.genesis);
  }

  /** What each process has used until now; NaN where the system does not say. */
  get usage(): Usage {
    const usages = this.processes.map((process) => process.usage());
    return {
      cpuSeconds: usages.map((usage) => usage?.cpuSeconds ?? NaN),
      residentMb: usages.map((usage) => usage?.residentMb ?? NaN),
    };
  }

  expel(peer: BenchPeer): void {
    this.#expelled.add(peer);
  }

  /** When each of some peers reached the target. @throws with `what`, if one does not */
  async reach(what: string, peers: readonly BenchPeer[], target: Target): Promise<number[]> {
    const reached = new AbortController();
    const late = sleep(PATIENCE_MS, undefined, { signal: reached.signal }).then(() => {
      throw new Error(`${what}: not within ${PATIENCE_MS / 1000} s`);
    });
    try {
      return await Promise.race([Promise.all(peers.map((peer) => peer.reach(target))), late]);
    } finally {
      reached.abort();
    }
  }

  /** Starts a killed peer again, in a new process, with what it has on disk. */
  async revive(peer: BenchPeer): Promise<void> {
    const killed = this.processes.indexOf(peer.process);
    peer.process = this.processes[killed] = await this.#process(killed);
    await peer.start();
  }

  async stop(): Promise<void> {
    await Promise.all(this.processes.map((process) => process.stop()));
    await this.publisher.close();
    this.#directory.remove();
  }
}

interface Usage {
  cpuSeconds: number[];
  residentMb: number[];
}
