// What is generated and not in git: the types of the client, which TypeScript, linters and the client's package read.
import { spawnSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const TYPES = 'packages/client/schemas.ts';
/** What they are generated from. */
const SOURCES = ['server', 'packages/protocol', 'scripts/client-types.ts', 'package-lock.json'];

/** @param {string} path @returns {number} when it, or a file in it, changed last, milliseconds; 0: it is not there */
function changedAt(path) {
  const stats = statSync(join(root, path), { throwIfNoEntry: false });
  const within = stats?.isDirectory() ? readdirSync(join(root, path)) : [];
  // A folder changes when a file in it is renamed or goes.
  return Math.max(stats?.mtimeMs ?? 0, ...within.map((name) => changedAt(join(path, name))));
}

/** Writes the types of the client if what they are generated from is newer. Ends this process if that fails. */
export function generateClientTypes() {
  const sources = Math.max(...SOURCES.map(changedAt));
  if (changedAt(TYPES) > sources) return;
  const tsx = join(root, 'node_modules', 'tsx', 'dist', 'cli.mjs');
  const { status } = spawnSync(process.execPath, [tsx, 'scripts/client-types.ts'], {
    cwd: root,
    stdio: 'inherit',
  });
  if (status !== 0) process.exit(1);
}
