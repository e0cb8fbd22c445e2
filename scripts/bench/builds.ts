import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build, isBuilt } from '../build.mjs';

const ROOT = join(import.meta.dirname, '..', '..');
const git = (...args: string[]) =>
  execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim();

/** A build of the service that is measured. */
export interface Build {
  /** The commit, short. `+` behind it: with changes that are not committed. */
  label: string;
  /** What `node` is called with to start it, as its `npm start` does. */
  args: string[];
  remove: () => void;
}

/** The build of this checkout, made if it is not up to date. */
export async function currentBuild(): Promise<Build> {
  if (!isBuilt()) await build({ quiet: true });
  return {
    label: describe(),
    args: startArgs(ROOT),
    remove: () => undefined,
  };
}

/** The flags of `npm start`, and the built server instead of the script that builds it first. */
function startArgs(directory: string): string[] {
  const { scripts } = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')) as {
    scripts: { start: string };
  };
  const flags = scripts.start.split(' ').filter((argument) => argument.startsWith('-'));
  return [...flags, join(directory, 'build', 'main.js')];
}

function describe(): string {
  try {
    const changed = git('status', '--porcelain', '--', 'app', 'server', 'db', 'packages') !== '';
    return `${git('rev-parse', '--short', 'HEAD')}${changed ? '+' : ''}`;
  } catch {
    return 'this build';
  }
}

/** A build of another commit, in a worktree of its own with this checkout's packages. */
export function buildOf(ref: string): Build {
  const commit = commitOf(ref);
  const directory = mkdtempSync(join(tmpdir(), 'mesh-bench-build-'));
  const remove = () => {
    rmSync(directory, { recursive: true, force: true });
    git('worktree', 'prune');
  };
  try {
    git('worktree', 'add', '--quiet', '--detach', directory, commit);
    linkPackages(directory);
    // By its own script, as it was released.
    execFileSync(process.execPath, [join(directory, 'scripts', 'build.mjs')], {
      cwd: directory,
      stdio: 'pipe',
    });
  } catch (error) {
    remove();
    const { stderr } = error as { stderr?: Buffer };
    throw new Error(
      `${ref} could not be built with the packages of this checkout:\n${stderr?.toString() ?? String(error)}`,
      { cause: error },
    );
  }
  return {
    label: git('rev-parse', '--short', commit),
    args: startArgs(directory),
    remove,
  };
}

function commitOf(ref: string): string {
  try {
    return git('rev-parse', '--verify', '--quiet', `${ref}^{commit}`);
  } catch (error) {
    throw new Error(`There is no commit ${ref} in this repository.`, { cause: error });
  }
}

/**
 * This checkout's packages, each by a link rather than their directory, so that caches below node_modules stay apart;
 * of the workspaces those of the other commit, if it has any.
 */
function linkPackages(directory: string): void {
  const from = join(ROOT, 'node_modules');
  const to = join(directory, 'node_modules');
  mkdirSync(to);
  for (const name of readdirSync(from))
    if (name === '.bin' || !/^\.|^@mesh-registry$/.test(name))
      symlinkSync(join(from, name), join(to, name));
  const workspaces = join(directory, 'packages');
  if (!existsSync(workspaces)) return;
  mkdirSync(join(to, '@mesh-registry'));
  for (const name of readdirSync(workspaces))
    symlinkSync(join(workspaces, name), join(to, '@mesh-registry', name));
}
