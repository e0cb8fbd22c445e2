import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface TemporaryDirectory {
  path: string;
  remove: () => void;
}

/** A new, empty directory. Its name is one that pages and logs must never show. */
export function temporaryDirectory(): TemporaryDirectory {
  const path = mkdtempSync(join(tmpdir(), 'mesh-registry-data-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}
