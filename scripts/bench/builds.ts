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
  execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', stdio: 'pipe' }).trim();

/** A build of the service that is measured. */
export interface Build {
  /** The commit, short. `+` behind it: with changes that are not committed. */
  label: string;
  /** Its checkout. */
  directory: string;
  /** The built server, which is started without the script that builds it first. */
  program: string;
  /** The flags of Node of its `npm start`. */
  nodeArgs: string[];
}

/** The build of this checkout, made if it is not up to date. */
export async function currentBuild(): Promise<Build> {
  if (!isBuilt()) await build({ quiet: true });
  let label = 'this build';
  try {
    const changed = git('status', '--porcelain', '--', 'app', 'server', 'db', 'packages') !== '';
    label = `${git('rev-parse', '--short', 'HEAD')}${changed ? '+' : ''}`;
  } catch {
    // Not a checkout, but an archive.
  }
  return buildIn(ROOT, label);
}

function buildIn(directory: string, label: string): Build {
  const { scripts } = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')) as {
    scripts: { start: string };
  };
  return {
    label,
    directory,
    program: join(directory, 'build', 'main.js'),
    nodeArgs: scripts.start.split(' ').filter((argument) => argument.startsWith('-')),
  };
}

/**
 * A build of another commit, in a worktree of its own with this checkout's packages, which goes when this process ends.
 * @throws if there is no such commit, or it cannot be built with these packages
 */
export function buildOf(ref: string): Build {
  const label = commitOf(ref);
  const directory = mkdtempSync(join(tmpdir(), 'mesh-bench-build-'));
  process.on('exit', () => {
    rmSync(directory, { recursive: true, force: true });
    git('worktree', 'prune');
  });
  try {
    git('worktree', 'add', '--quiet', '--detach', directory, label);
    linkPackages(directory);
    // By its own script, as it was released.
    const script = join(directory, 'scripts', 'build.mjs');
    execFileSync(process.execPath, [script], { cwd: directory, stdio: 'pipe' });
    return buildIn(directory, label);
  } catch (error) {
    const reason = String((error as { stderr?: Buffer | string }).stderr ?? error);
    throw new Error(`${ref} could not be built with the packages of this checkout:\n${reason}`, {
      cause: error,
    });
  }
}

function commitOf(ref: string): string {
  try {
    return git('rev-parse', '--short', '--verify', '--quiet', `${ref}^{commit}`);
  } catch (error) {
    throw new Error(`There is no commit ${ref} in this repository.`, { cause: error });
  }
}

/**
 * This checkout's packages, each by a link rather than their directory, so that caches below node_modules stay apart;
 * of the workspaces those of the other commit, if it has any.
 */
function linkPackages(directory: string): void {
  const link = (from: string, to: string, isWanted = (_: string) => true) => {
    mkdirSync(to, { recursive: true });
    for (const name of readdirSync(from).filter(isWanted))
      symlinkSync(join(from, name), join(to, name));
  };
  const installed = join(directory, 'node_modules');
  link(
    join(ROOT, 'node_modules'),
    installed,
    (name) => name === '.bin' || !/^\.|^@mesh-registry$/.test(name),
  );
  const workspaces = join(directory, 'packages');
  if (existsSync(workspaces)) link(workspaces, join(installed, '@mesh-registry'));
}
