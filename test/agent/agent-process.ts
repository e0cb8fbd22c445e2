import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { generateNodeKey, nodeKeyToPem } from '@mesh-registry/protocol/keys/node-key.ts';
import type { AgentStatus } from '@mesh-registry/agent/run/status.ts';
import { until } from '../support/until.ts';
import { command } from './command.ts';

/** The built agent as a process, on a machine whose clock and name server a test can break. */

const ROOT = join(import.meta.dirname, '..', '..');

/** An answer of the service that makes heartbeats follow each other as fast as an agent lets it. */
export const hurry = (body: string) => body.replace(/"nextPingMs":\d+/, '"nextPingMs":1000');

/** What may end up in the bundle, or decides how it is made. */
const SOURCES = ['packages', 'scripts'];
/** One build for all tests, until a source changes. */
const BUILDS = join(ROOT, 'build', 'agent-of-tests');

function fingerprint(): string {
  const hash = createHash('sha256');
  const add = (path: string) => hash.update(path).update(readFileSync(join(ROOT, path)));
  for (const folder of SOURCES)
    for (const path of (readdirSync(join(ROOT, folder), { recursive: true }) as string[]).sort())
      if (/\.(ts|mjs|json|md)$/.test(path) && !path.endsWith('.test.ts')) add(join(folder, path));
  for (const path of ['package.json', 'package-lock.json', 'LICENSE']) add(path);
  return hash.digest('hex').slice(0, 32);
}

/** Bundles the agent into a folder. @returns its program */
export async function buildAgent(folder: string): Promise<string> {
  const built = join(BUILDS, fingerprint());
  if (!existsSync(built)) {
    const own = `${built}.${process.pid}`;
    const child = spawn(process.execPath, [join(ROOT, 'scripts', 'build-agent.mjs'), own], {
      stdio: 'inherit',
    });
    const [code] = (await once(child, 'exit')) as [number | null];
    if (code !== 0) throw new Error(`The agent could not be built (${code}).`);
    try {
      renameSync(own, built);
    } catch (error) {
      // Another worker may have been faster.
      rmSync(own, { recursive: true });
      if (!existsSync(built)) throw error;
    }
  }
  cpSync(built, folder, { recursive: true });
  return join(folder, 'mesh-agent.mjs');
}

interface Event {
  event: string;
  message: string;
}

export interface AgentProcess {
  pid: number;
  configFile: string;
  keyFile: string;
  secretFile: string;
  stateDirectory: string;
  /** What it has told so far. */
  events(): Event[];
  /** How often it has told this. */
  count(event: string): number;
  /** Resolves once it has told this so often, or fails with what it told instead. */
  told(event: string, times?: number): Promise<Event>;
  /** `mesh-agent status --json` */
  status(): Promise<{ exitCode: number; status: AgentStatus }>;
  /** `mesh-agent identity rotate` */
  rotateIdentity(): Promise<{ exitCode: number; answer: { key?: string; error?: string } }>;
  setMachine(state: Partial<Machine>): void;
  signal(name: NodeJS.Signals): void;
  /** Ends it as systemd does. @returns its exit code */
  stop(): Promise<number | null>;
}

/** How much sooner an agent sends the next heartbeat, tries again, and looks whether its machine has slept. */
export const TIMES_FASTER = 4;

interface Machine {
  /** How far its clock is ahead, milliseconds. */
  aheadMs: number;
  /** Whether `mesh.test` can be resolved. */
  dns: boolean;
}

export interface AgentSettings {
  program: string;
  /** A folder of its own, for configuration, key and state. */
  folder: string;
  url: string;
  nodeId: string;
  secret: string;
  /** Whether the secret may go to a service without TLS. */
  insecureHttp?: boolean;
  env?: Record<string, string>;
}

/** It waits 10 s for an answer and stores what has happened every 15 s (a minute, four times faster), milliseconds. */
const RAREST_MS = 20_000;

/** Starts `mesh-agent run --json`. */
export function startAgentProcess(settings: AgentSettings): AgentProcess {
  const { program, folder, url, nodeId, secret, insecureHttp = false, env = {} } = settings;
  mkdirSync(folder, { recursive: true });
  const file = (name: string) => join(folder, name);
  const write = (name: string, text: string) => {
    // Whole, because the agent may read it at any moment.
    writeFileSync(file(`${name}.new`), text, { mode: 0o600 });
    renameSync(file(`${name}.new`), file(name));
  };
  write('secret', secret);
  write('identity.key', nodeKeyToPem(generateNodeKey()));
  write(
    'config.toml',
    `[service]\nurl = "${url}"\nsecret_file = "secret"\ninsecure_http = ${insecureHttp}\n[node]\nid = "${nodeId}"\n[map]\nlat = 37.5\nlng = -122.5\n`,
  );
  let machine: Machine = { aheadMs: 0, dns: true };
  const setMachine = (state: Partial<Machine>) => {
    machine = { ...machine, ...state };
    write('machine.json', JSON.stringify(machine));
  };
  setMachine({});
  const commandLine = (...args: string[]) => [
    `--import=${pathToFileURL(join(import.meta.dirname, 'machine.mjs')).href}`,
    ...[program, ...args, '--json', '--config', file('config.toml')],
  ];
  // With no more of this process's environment than an operator has.
  const options = {
    env: {
      PATH: process.env['PATH'],
      NODE_ENV: 'test' as const,
      MACHINE: file('machine.json'),
      TIMES_FASTER: String(TIMES_FASTER),
      ...env,
    },
  };
  const child = spawn(process.execPath, commandLine('run', '--state', file('state')), {
    ...options,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const closed = once(child, 'close') as Promise<[number | null]>;
  const events: Event[] = [];
  createInterface(child.stdout).on('line', (line) => events.push(JSON.parse(line) as Event));
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
  const run = (...args: string[]) =>
    new Promise<{ exitCode: number; output: string }>((resolve) =>
      execFile(process.execPath, commandLine(...args), options, (error, output) =>
        resolve({ exitCode: Number(error?.code ?? 0), output }),
      ),
    );
  const count = (event: string) => events.filter((one) => one.event === event).length;
  return {
    pid: child.pid ?? 0,
    configFile: file('config.toml'),
    keyFile: file('identity.key'),
    secretFile: file('secret'),
    stateDirectory: file('state'),
    events: () => events,
    count,
    async told(event, times = 1) {
      const hasTold = () => {
        if (count(event) >= times) return true;
        if (child.exitCode === null) return false;
        throw new Error(`The agent ended: ${errors}${JSON.stringify(events)}`);
      };
      await until(`The agent tells ${event}`, hasTold, RAREST_MS).catch((error: unknown) => {
        throw new Error(`${String(error)}. It told ${JSON.stringify(events)}`);
      });
      return events.filter((one) => one.event === event).at(times - 1) ?? { event, message: '' };
    },
    status: async () => {
      // In this process: it asks the agent, which is the one that counts.
      const { code, stdout } = await command([
        ...['status', '--json', '--config', file('config.toml'), '--state', file('state')],
      ]);
      return { exitCode: code, status: JSON.parse(stdout) as AgentStatus };
    },
    rotateIdentity: async () => {
      const { exitCode, output } = await run('identity', 'rotate');
      return { exitCode, answer: JSON.parse(output) as { key?: string; error?: string } };
    },
    setMachine,
    signal: (name) => void child.kill(name),
    async stop() {
      child.kill('SIGCONT');
      child.kill('SIGTERM');
      const [code] = await closed;
      return code;
    },
  };
}
