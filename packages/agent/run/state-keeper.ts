import { join } from 'node:path';
import type { Config } from '../config/load.ts';
import { readJsonFile, writeDurable } from '@mesh-registry/protocol/durable-file.ts';
import type { Clock } from './clock.ts';
import type { FaultBoard } from './fault-board.ts';
import { SOON } from './fault.ts';

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

/** Keeps what the agent remembers. A full disk is told, and stops nothing. */
export class StateKeeper {
  readonly #directory: string | null;
  readonly #clock: Clock;
  readonly #board: FaultBoard;
  #state: Remembered | null = null;
  #savedAt = -Infinity;

  constructor({
    stateDirectory,
    clock,
    board,
  }: {
    stateDirectory: string | null;
    clock: Clock;
    board: FaultBoard;
  }) {
    this.#directory = stateDirectory;
    this.#clock = clock;
    this.#board = board;
  }

  /** Remembers what belongs to this node at this service. */
  use({ service, node }: Config): void {
    const { url } = service;
    if (this.#state?.service === url && this.#state.nodeId === node.id) return;
    this.#state =
      this.#directory === null
        ? { service: url, nodeId: node.id, firstAcceptedAt: null, lastAcceptedAt: null }
        : readState(this.#directory, url, node.id);
  }

  /** Whether the service has accepted a heartbeat of this node before. */
  get wasKnown(): boolean {
    return typeof this.#state?.firstAcceptedAt === 'string';
  }

  /** A heartbeat was accepted. */
  accepted(): void {
    if (!this.#state) return;
    const now = this.#clock.now();
    this.#state.lastAcceptedAt = new Date(now).toISOString();
    this.#state.firstAcceptedAt ??= this.#state.lastAcceptedAt;
    // The clock may have been set back.
    if (Math.abs(now - this.#savedAt) >= SAVE_EVERY_MS) this.save();
  }

  save(): void {
    if (this.#directory === null || !this.#state?.lastAcceptedAt) return;
    // Read before the disk takes its time, in which the clock may be set.
    const now = this.#clock.now();
    try {
      writeState(this.#directory, this.#state);
      this.#savedAt = now;
      this.#board.clear('state', 'What happens can be stored again');
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      const full = code === 'ENOSPC' || code === 'EDQUOT';
      this.#board.raise('state', {
        kind: 'disk',
        message: `${full ? `The disk with ${this.#directory} is full` : `${this.#directory} cannot be written (${code ?? message})`}. Heartbeats go on; after a restart the agent will not know of them.`,
        retry: SOON,
        retryAfterMs: null,
      });
    }
  }
}

/** Of another node, or unreadable, it is as if there were none. */
export function readState(directory: string, service: string, nodeId: string): Remembered {
  const none = { service, nodeId, firstAcceptedAt: null, lastAcceptedAt: null };
  const stored = readStored(directory);
  return stored?.service === service && stored.nodeId === nodeId ? { ...none, ...stored } : none;
}

function readStored(directory: string): Partial<Remembered> | null {
  try {
    return readJsonFile(join(directory, NAME)) as Partial<Remembered> | null;
  } catch {
    return null;
  }
}

/** Whole or not at all. @throws what the file system throws, such as ENOSPC */
const writeState = (directory: string, state: Remembered): void =>
  writeDurable(join(directory, NAME), `${JSON.stringify(state)}\n`);
