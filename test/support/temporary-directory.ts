import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface TemporaryDirectory {
  path: string;
  remove: () => void;
}

/** A new, empty directory. */
export function temporaryDirectory(): TemporaryDirectory {
  const path = mkdtempSync(join(tmpdir(), 'mesh-registry-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}
