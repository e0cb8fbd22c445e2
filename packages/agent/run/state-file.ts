import { join } from 'node:path';
import { readJsonFile, writeDurable } from '@mesh-registry/protocol/durable-file.ts';

/** What the agent still knows after a restart. */
export interface Remembered {
  service: string;
  nodeId: string;
  /** Of the first and last accepted heartbeat, ISO 8601; null: none yet. */
  firstAcceptedAt: string | null;
  lastAcceptedAt: string | null;
}

const NAME = 'state.json';

/** Of another node, or unreadable, it is as if there were none. */
export function readState(directory: string, service: string, nodeId: string): Remembered {
  const none = { service, nodeId, firstAcceptedAt: null, lastAcceptedAt: null };
  const stored = parse(directory);
  return stored?.service === service && stored.nodeId === nodeId ? { ...none, ...stored } : none;
}

function parse(directory: string): Partial<Remembered> | null {
  try {
    return readJsonFile(join(directory, NAME)) as Partial<Remembered> | null;
  } catch {
    return null;
  }
}

/** Whole or not at all. @throws what the file system throws, such as ENOSPC */
export const writeState = (directory: string, state: Remembered): void =>
  writeDurable(join(directory, NAME), `${JSON.stringify(state)}\n`);
