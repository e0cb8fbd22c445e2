import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateNodeKey, nodeKeyText } from '@mesh-registry/protocol/keys/node-key.ts';
import { peerIdOfKey } from '@mesh-registry/protocol/keys/peer-id.ts';
import type { PeerStatus } from '@mesh-registry/peer/base/status.ts';
import { freePort } from '../../test/support/port.ts';
import { moment, type Target } from './progress.ts';
import { Publisher } from './publisher.ts';
import { WorkerProcess } from './worker-process.ts';
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
  /** Instead of those of production. */
  intervals?: NonNullable<StartOptions['intervals']>;
}

/** Options in which a peer differs from the others. */
type OwnOptions = Pick<StartOptions, 'listen'> & Partial<StartOptions>;

/** So many peers start at the same time. */
const STARTS_AT_A_TIME = 20;
/** The longest wait for a target, ms. */
const PATIENCE_MS = 300_000;

/** A peer of the network, in whichever process it is. */
export class BenchPeer {
  constructor(
    readonly name: string,
    readonly id: string,
    private readonly options: StartOptions,
    public process: WorkerProcess,
  ) {}

  /** Where it is dialled, with its id. */
  get address(): string {
    return `${this.options.listen[0]}/p2p/${this.id}`;
  }

  start(): Promise<void> {
    return this.process.call('start', this.name, this.options);
  }

  /** @returns the moment at which it reached the target */
  reach(target: Target): Promise<number> {
    return this.process.call('reach', this.name, target);
  }

  get status(): Promise<PeerStatus> {
    return this.process.call('status', this.name);
  }

  /** Takes what is new in its truth file and its log. @returns when it began */
  look(): Promise<number> {
    return this.process.call('look', this.name);
  }
}

/** Peers of one network on this machine. The first is Genesis; the others know only its address. */
export class Network {
  readonly publisher: Publisher;
  peers: BenchPeer[] = [];
  processes: WorkerProcess[] = [];
  /** Of each process before its first peer; null where the system does not say. */
  cpuBefore: (number | null)[] = [];
  residentBefore: (number | null)[] = [];
  /** When the first peer was told to start. */
  startedAt = 0;
  /** Why a peer punished another, or what it could not read. A bug, because no peer of the network misbehaves. */
  readonly faults: string[] = [];
  readonly #directory = mkdtempSync(join(tmpdir(), 'mesh-bench-peer-'));
  readonly #expelled = new Set<BenchPeer>();

  private constructor(private readonly options: NetworkOptions) {
    this.publisher = new Publisher(this.#directory);
  }

  static async start(options: NetworkOptions): Promise<Network> {
    const network = new Network(options);
    try {
      await network.#start();
      return network;
    } catch (error) {
      await network.stop();
      throw error;
    }
  }

  async #start(): Promise<void> {
    const { peers, processes } = this.options;
    this.processes = await Promise.all(
      Array.from({ length: processes }, (_, n) => this.#process(n)),
    );
    this.cpuBefore = this.processes.map(({ usage }) => usage?.cpuSeconds ?? null);
    this.residentBefore = this.processes.map(({ usage }) => usage?.residentMb ?? null);
    const ports = await freePorts(peers);
    for (const port of ports) this.#peer({ listen: [`/ip4/127.0.0.1/tcp/${port}`] });
    this.startedAt = moment();
    await this.genesis.start();
    for (let next = 1; next < peers; next += STARTS_AT_A_TIME)
      await Promise.all(
        this.peers.slice(next, next + STARTS_AT_A_TIME).map((peer) => peer.start()),
      );
  }

  #process(n: number): Promise<WorkerProcess> {
    const { program, nodes, nodeArgs } = this.options;
    return WorkerProcess.start({
      program,
      node: nodes[n % nodes.length] ?? process.execPath,
      nodeArgs,
      onFault: (fault) => this.faults.push(fault),
    });
  }

  #peer(own: OwnOptions): BenchPeer {
    const number = this.peers.length;
    const process = this.processes[number % this.processes.length];
    if (!process) throw new Error('A network has at least one process.');
    const name = `peer-${number}`;
    const key = generateNodeKey();
    const { outbound, intervals, peers } = this.options;
    const { pinned, truthFile, logDirectory } = this.publisher;
    const options: StartOptions = {
      key: key.export({ type: 'pkcs8', format: 'pem' }).toString(),
      directory: join(this.#directory, name),
      pinned,
      genesis: this.peers.slice(0, 1).map(({ address }) => address),
      agent: 'bench/1',
      ...(outbound !== undefined && { outbound }),
      ...(intervals && { intervals }),
      maxPeers: Math.max(128, peers + 32),
      // All of them are on one host.
      privateAddresses: true,
      connectionsPerHost: 10_000,
      connectionsPerHostPerSecond: 10_000,
      sources: number === 0 ? { truth_file: truthFile, log: logDirectory } : {},
      ...own,
    };
    const peer = new BenchPeer(name, peerIdOfKey(nodeKeyText(key)), options, process);
    this.peers.push(peer);
    return peer;
  }

  /** Starts one more peer. */
  async add(own: OwnOptions): Promise<BenchPeer> {
    const peer = this.#peer(own);
    await peer.start();
    return peer;
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

  expel(peer: BenchPeer): void {
    this.#expelled.add(peer);
  }

  /** When each of some peers reached the target. @throws with `what`, if one does not */
  async reach(what: string, peers: readonly BenchPeer[], target: Target): Promise<number[]> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      const error = new Error(`${what}: not within ${PATIENCE_MS / 1000} s`);
      timer = setTimeout(() => reject(error), PATIENCE_MS);
    });
    try {
      return await Promise.race([Promise.all(peers.map((peer) => peer.reach(target))), late]);
    } finally {
      clearTimeout(timer);
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
    rmSync(this.#directory, { recursive: true, force: true });
  }
}

async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  while (ports.size < count) ports.add(await freePort());
  return [...ports];
}
