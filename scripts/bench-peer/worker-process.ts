import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { build } from 'esbuild';
import { PEER_ENVIRONMENT } from '@mesh-registry/agent/service/systemd.ts';
import { usageOf } from '../../test/support/processes.ts';
import { agentBundle, REQUIRE } from '../packages.mjs';
import { callsOf } from '../calls.ts';
import type { Fault, WorkerFunctions } from './worker.ts';

/**
 * Builds the program of the processes as the agent is built.
 * @param sources the checkout whose protocol it speaks, if not this one
 * @returns the file
 */
export async function buildWorker(directory: string, sources?: string): Promise<string> {
  const outfile = join(directory, 'worker.mjs');
  const entryPoints = [join(import.meta.dirname, 'worker.ts')];
  const alias = Object.fromEntries(
    (sources === undefined ? [] : ['agent', 'peer', 'protocol']).map((name) => [
      `@mesh-registry/${name}`,
      join(sources ?? '', 'packages', name),
    ]),
  );
  await build({ ...agentBundle, banner: { js: REQUIRE }, entryPoints, outfile, alias });
  return outfile;
}

export interface WorkerOptions {
  /** The built worker. */
  program: string;
  /** The Node that runs it. */
  node: string;
  nodeArgs: readonly string[];
  /** Hears of what must not happen, such as a peer that punishes another one. */
  onFault: (fault: string) => void;
}

/** They end with this process. */
const running = new Set<ChildProcess>();
process.on('exit', () => running.forEach((child) => child.kill('SIGKILL')));

export type WorkerProcess = Awaited<ReturnType<typeof startWorker>>;

/** A process of the network, as the bench controls it. @throws if it ends before it is ready */
export async function startWorker({ program, node, nodeArgs, onFault }: WorkerOptions) {
  const child = fork(program, {
    execPath: node,
    execArgv: [...nodeArgs],
    // As in the unit that the agent writes.
    env: { ...process.env, ...PEER_ENVIRONMENT },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  running.add(child);
  const exited = once(child, 'exit').then(() => void running.delete(child));
  child.on('message', (message: Fault | object) => {
    if ('fault' in message) onFault(message.fault);
  });
  const call = callsOf<WorkerFunctions>(child, 'A process of the network');
  await call('ready');
  return {
    call,
    /** Null where the system does not say. */
    usage: () => usageOf(child.pid ?? 0),
    /** Lets it end, and write its profile if it makes one. */
    stop() {
      if (child.connected) child.disconnect();
      return exited;
    },
    /** kill -9 */
    kill() {
      child.kill('SIGKILL');
      return exited;
    },
  };
}
