import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** The services of the previous release, from this repository's history, in a process of their own. */

/** A commit of the release before the baseline migration. */
export const PREVIOUS_RELEASE = '3d151809b183b4cd50f2d198a55a133818ba1018';

const root = join(import.meta.dirname, '..', '..');

/** False in a clone without the history: a shallow one, or an archive. */
export function hasPreviousRelease(): boolean {
  try {
    execFileSync('git', ['cat-file', '-e', `${PREVIOUS_RELEASE}^{commit}`], {
      cwd: root,
      stdio: 'ignore',
    });
    return true;
  } catch {
    return false;
  }
}

/** Calls the services that it reads from stdin. */
const PROGRAM = `
import { createInterface } from 'node:readline';
import { openDatabase } from './db/client.ts';
import { parseConfig } from './server/config.ts';
import { createLog } from './server/log.ts';
import { createServices } from './server/services.ts';

const config = parseConfig(process.env);
const database = await openDatabase(config);
const services = await createServices({ config, database, log: createLog('silent') });
services.start();
const reply = (answer) => console.log(JSON.stringify(answer));
reply({ result: 'ready' });
for await (const line of createInterface({ input: process.stdin })) {
  const { room, name, args } = JSON.parse(line);
  try {
    reply({ result: (await services[room][name](...args)) ?? null });
  } catch (error) {
    reply({ error: String(error?.cause ?? error) });
  }
}
await services.stop();
await database.close();
process.exit(0);
`;

export interface PreviousRelease {
  /** Calls a service of it: `call('mesh', 'ping', body)`. */
  call<Result>(room: string, name: string, ...args: unknown[]): Promise<Result>;
  /** Resolves when it has written everything and closed its database. */
  stop(): Promise<void>;
}

/** @param env its configuration */
export async function startPreviousRelease(env: Record<string, string>): Promise<PreviousRelease> {
  const directory = mkdtempSync(join(tmpdir(), 'mesh-registry-previous-'));
  const archive = execFileSync(
    'git',
    ['archive', PREVIOUS_RELEASE, 'db', 'server', 'shared', 'package.json'],
    {
      cwd: root,
      maxBuffer: 64 * 1024 * 1024,
    },
  );
  execFileSync('tar', ['-x', '-C', directory], { input: archive });
  // This release's packages: it needs no other.
  symlinkSync(join(root, 'node_modules'), join(directory, 'node_modules'));
  writeFileSync(join(directory, 'program.ts'), PROGRAM);
  const child = spawn(process.execPath, ['--import', 'tsx', 'program.ts'], {
    cwd: directory,
    env: { NODE_ENV: 'test', PATH: process.env['PATH'], RATE_LIMITS: 'off', ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let failures = '';
  child.stderr.on('data', (text: Buffer) => (failures += text.toString()));
  const ended = once(child, 'exit');
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const answer = async () => {
    const { value, done } = await answers.next();
    if (done) throw new Error(`The previous release has ended: ${failures}`);
    const { result, error } = JSON.parse(value) as { result: unknown; error?: string };
    if (error !== undefined) throw new Error(error);
    return result;
  };
  await answer();
  const ask = (question: object) => {
    child.stdin.write(`${JSON.stringify(question)}\n`);
    return answer();
  };
  return {
    call: async <Result>(room: string, name: string, ...args: unknown[]) =>
      (await ask({ room, name, args })) as Result,
    async stop() {
      child.stdin.end();
      await ended;
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
