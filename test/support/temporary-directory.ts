import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface TemporaryDirectory {
  path: string;
  remove: () => void;
}

/** A new, empty directory. Its name is one that pages and logs must never show. */
export function temporaryDirectory(): TemporaryDirectory {
  const path = mkdtempSync(join(tmpdir(), 'mesh-registry-data-'));
  // For root the embedded database runs as another account, which has to get through.
  chmodSync(path, 0o711);
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}
