import { join } from 'node:path';
import type { Config } from '../config/load.ts';
import { readJsonFile, writeDurable } from '@mesh-registry/protocol/durable-file.ts';
import type { Clock } from './clock.ts';
import type { FaultBoard } from './fault-board.ts';
import { soon } from './fault.ts';

/** What the agent still knows after a restart. */
interface Remembered {
  service: string;
  nodeId: string;
  /** Of the first and last accepted heartbeat, ISO 8601; null: none yet. */
  firstAcceptedAt: string | null;
  lastAcceptedAt: string | null;
}

const NAME = 'state.json';

/** At most this often, milliseconds: a disk need not hear of every heartbeat. */
const SAVE_EVERY_MS = 60_000;

interface StateOptions {
  /** Null: it remembers nothing. */
  stateDirectory: string | null;
  clock: Clock;
  board: FaultBoard;
}

/** Keeps what the agent remembers. A full disk is told, and stops nothing. */
export class StateKeeper {
  #state: Remembered | null = null;
  #savedAt = -Infinity;

  constructor(private readonly options: StateOptions) {}

  /** Remembers what belongs to this node at this service. */
  use({ service, node }: Config): void {
    const { url } = service;
    if (this.#state?.service === url && this.#state.nodeId === node.id) return;
    this.#state = readState(this.options.stateDirectory, url, node.id);
  }

  /** Whether the service has accepted a heartbeat of this node before. */
  get wasKnown(): boolean {
    return typeof this.#state?.firstAcceptedAt === 'string';
  }

  /** A heartbeat was accepted. */
  accepted(): void {
    if (!this.#state) return;
    const now = this.options.clock.now();
    this.#state.lastAcceptedAt = new Date(now).toISOString();
    this.#state.firstAcceptedAt ??= this.#state.lastAcceptedAt;
    // The clock may have been set back.
    if (Math.abs(now - this.#savedAt) >= SAVE_EVERY_MS) this.save();
  }

  save(): void {
    const { stateDirectory: directory, clock, board } = this.options;
    if (directory === null || !this.#state?.lastAcceptedAt) return;
    // Read before the disk takes its time, in which the clock may be set.
    const now = clock.now();
    try {
      writeDurable(join(directory, NAME), `${JSON.stringify(this.#state)}\n`);
      this.#savedAt = now;
      board.clear('state', 'State can be stored again');
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      const what =
        code === 'ENOSPC' || code === 'EDQUOT'
          ? `The disk with ${directory} is full`
          : `${directory} cannot be written (${code ?? message})`;
      board.raise(
        'state',
        soon('disk', `${what}. Heartbeats continue, but the agent forgets them when it restarts.`),
      );
    }
  }
}

/** What was kept in a directory. If that is of another node, or unreadable, it is as if there were none. */
export function readState(directory: string | null, service: string, nodeId: string): Remembered {
  const none = { service, nodeId, firstAcceptedAt: null, lastAcceptedAt: null };
  if (directory === null) return none;
  try {
    const stored = readJsonFile(join(directory, NAME)) as Partial<Remembered> | null;
    return stored?.service === service && stored.nodeId === nodeId ? { ...none, ...stored } : none;
  } catch {
    return none;
  }
}
