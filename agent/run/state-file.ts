import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

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
    return JSON.parse(readFileSync(join(directory, NAME), 'utf8')) as Partial<Remembered> | null;
  } catch {
    return null;
  }
}

/** Whole or not at all. @throws what the file system throws, such as ENOSPC */
export function writeState(directory: string, state: Remembered): void {
  const file = join(directory, NAME);
  const temporary = `${file}.new`;
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    writeFileSync(temporary, `${JSON.stringify(state)}\n`, { mode: 0o600, flush: true });
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}
