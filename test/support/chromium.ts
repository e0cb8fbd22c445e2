/**
 * A browser for tests, on a machine with nothing but Node, as root or not: an installed Chromium, or
 * else the binary in the npm package `@sparticuz/chromium`.
 *
 * That package's own launch options are made for AWS Lambda: they disable web security and run
 * everything in one process.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { lstat, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { chromium as playwright } from 'playwright';

/** Options for Playwright's `chromium.launch()`. */
export interface Browser {
  executablePath: string;
  args: string[];
  /** The whole environment of the browser, including that of this process. */
  env?: Record<string, string>;
}

/**
 * What Playwright does not pass already. It passes `--no-sandbox`, `--no-first-run`,
 * `--disable-background-networking`, `--disable-component-update`, `--disable-sync`, and a
 * `--disable-features` that a second one would override.
 */
const ARGS = [
  // Machines that run tests have no useful GPU: canvas is drawn in software.
  '--disable-gpu',
  // On a closed network HTTP/3 fails only after a time-out.
  '--disable-quic',
  '--disable-domain-reliability',
  // Draws text the same on every machine.
  '--font-render-hinting=none',
];

/** Playwright may not work with an older browser. */
const OLDEST_MAJOR_VERSION = 125;

const INSTALLED = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/opt/google/chrome/chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

const HINT =
  'Install one (npx playwright install chromium, or by your system) or set CHROMIUM_PATH to it.';

const run = promisify(execFile);
const require = createRequire(import.meta.url);

/**
 * Finds a browser: `CHROMIUM_PATH`, else Playwright's own, else the system's, else the package's, which
 * its first use unpacks to the directory for temporary files (some 2 s).
 *
 * @throws if the browser of CHROMIUM_PATH does not run, or this machine has none
 */
export async function chromium(): Promise<Browser> {
  const chosen = process.env.CHROMIUM_PATH;
  if (chosen) {
    if (!(await runs(chosen))) {
      throw new Error(
        `CHROMIUM_PATH, ${chosen}, is no Chromium ${OLDEST_MAJOR_VERSION}+ that runs.`,
      );
    }
    return { executablePath: chosen, args: ARGS };
  }
  for (const executablePath of [playwright.executablePath(), ...INSTALLED]) {
    if (await runs(executablePath)) return { executablePath, args: ARGS };
  }
  return unpackedChromium();
}

/** Whether it exists is not enough: Ubuntu's `chromium-browser` is a script that asks for a snap. */
async function runs(executablePath: string): Promise<boolean> {
  if (!existsSync(executablePath)) return false;
  try {
    const { stdout } = await run(executablePath, ['--version'], { timeout: 10_000 });
    const [, major] = /\b(\d+)\.\d+\.\d+\.\d+/.exec(stdout) ?? [];
    return Number(major) >= OLDEST_MAJOR_VERSION;
  } catch {
    return false;
  }
}

async function unpackedChromium(): Promise<Browser> {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new Error(`No Chromium found, and none in npm for this machine. ${HINT}`);
  }
  const directory = await unpack();
  const libraries = [join(directory, 'al2023', 'lib'), process.env.LD_LIBRARY_PATH];
  const env = {
    ...process.env,
    LD_LIBRARY_PATH: libraries.filter(Boolean).join(':'),
    // Only the package's font (Open Sans), so that every machine draws the same.
    FONTCONFIG_FILE: join(directory, 'fonts.conf'),
  };
  return {
    executablePath: join(directory, 'chromium'),
    args: ARGS,
    env: Object.fromEntries(
      Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined),
    ),
  };
}

/**
 * Unpacks the package once for this user and version, and returns the directory. Other processes may do so at
 * the same time, and systems delete old files from `/tmp` one by one: so the directory is checked for
 * completeness before use, and moved into place by a rename.
 */
async function unpack(): Promise<string> {
  const entry = require.resolve('@sparticuz/chromium');
  const manifest = join(dirname(entry), '..', '..', 'package.json');
  const { version }: { version: string } = JSON.parse(await readFile(manifest, 'utf8'));
  const target = join(tmpdir(), `mesh-registry-chromium-${version}-${process.geteuid?.()}`);
  if (await isWhole(target)) return target;

  const staging = await mkdtemp(`${target}-`);
  try {
    // In a process of its own, because the package reads from the environment what to unpack where. It
    // adds libraries that a bare system lacks only if it seems to run on Lambda.
    await run(process.execPath, ['--eval', UNPACK, pathToFileURL(entry).href], {
      env: {
        ...process.env,
        NODE_OPTIONS: '',
        TMPDIR: staging,
        AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs22.x',
      },
    });
    // The package's own file refers to directories of Lambda.
    await writeFile(
      join(staging, 'fonts.conf'),
      `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${join(target, 'fonts')}</dir>
  <cachedir>${join(target, 'font-cache')}</cachedir>
</fontconfig>
`,
    );
    await writeFile(join(staging, CONTENTS), JSON.stringify(await fileSizes(staging)));
    await putInPlace(staging, target);
  } catch (error) {
    throw new Error(`The package's Chromium could not be unpacked to ${target}. ${HINT}`, {
      cause: error,
    });
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
  if (!(await isWhole(target))) throw new Error(`${target} is not whole; remove it.`);
  return target;
}

async function putInPlace(staging: string, target: string): Promise<void> {
  const occupied = ignore('ENOTEMPTY', 'EEXIST');
  await rename(staging, target).catch(occupied);
  if (await isWhole(target)) return; // ours, or that of a process that was faster
  const broken = await mkdtemp(`${target}-`);
  await rename(target, broken).catch(ignore('ENOENT'));
  await rename(staging, target).catch(occupied);
  await rm(broken, { recursive: true, force: true });
}

/** As root, tar keeps the owner from the archive: the umask must let other users read the files. */
const UNPACK = `
  process.umask(0o022);
  import(process.argv[1]).then((module) => module.default.executablePath());`;

/** Lists every unpacked file and its size; written last. */
const CONTENTS = 'contents.json';

async function isWhole(directory: string): Promise<boolean> {
  try {
    const { uid, mode } = await lstat(directory);
    // Anybody may write to /tmp: another user could have planted a browser there.
    if (uid !== process.geteuid?.() || (mode & 0o022) !== 0) return false;
    const contents: Record<string, number> = JSON.parse(
      await readFile(join(directory, CONTENTS), 'utf8'),
    );
    const sizes = await Promise.all(
      Object.keys(contents).map(async (name) => (await stat(join(directory, name))).size),
    );
    return Object.values(contents).every((size, index) => size === sizes[index]);
  } catch {
    return false;
  }
}

async function fileSizes(directory: string): Promise<Record<string, number>> {
  const names = await readdir(directory, { recursive: true });
  const files = await Promise.all(
    names.map(async (name) => [name, await stat(join(directory, name))] as const),
  );
  return Object.fromEntries(
    files.filter(([, file]) => file.isFile()).map(([name, file]) => [name, file.size]),
  );
}

function ignore(...codes: string[]): (error: NodeJS.ErrnoException) => void {
  return (error) => {
    if (!codes.includes(error.code ?? '')) throw error;
  };
}
