import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { build } from 'esbuild';
import { PEER_ENVIRONMENT } from '@mesh-registry/agent/service/systemd.ts';
import { usageOf, type Usage } from '../../test/support/processes.ts';
import { agentBundle, REQUIRE } from '../agent-bundle.mjs';
import { callsOf } from '../calls.ts';
import type { Fault, WorkerFunctions } from './worker.ts';

/** Builds the program of the processes as the agent is built. @returns the file */
export async function buildWorker(directory: string): Promise<string> {
  const outfile = join(directory, 'worker.mjs');
  await build({
    ...agentBundle,
    banner: { js: REQUIRE },
    entryPoints: [join(import.meta.dirname, 'worker.ts')],
    outfile,
  });
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

/** A process of the network, as the bench controls it. */
export class WorkerProcess {
  readonly call;

  private constructor(private readonly child: ChildProcess) {
    this.call = callsOf<WorkerFunctions>(child, 'A process of the network');
  }

  /** @throws if it ends before it is ready */
  static async start({ program, node, nodeArgs, onFault }: WorkerOptions): Promise<WorkerProcess> {
    const child = fork(program, {
      execPath: node,
      execArgv: [...nodeArgs],
      // As in the unit that the agent writes.
      env: { ...process.env, ...PEER_ENVIRONMENT },
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    running.add(child);
    child.once('exit', () => running.delete(child));
    child.on('message', (message: Fault | object) => {
      if ('fault' in message) onFault(message.fault);
    });
    const worker = new WorkerProcess(child);
    await worker.call('ready');
    return worker;
  }

  /** Null where the system does not say. */
  get usage(): Usage | null {
    return usageOf(this.child.pid ?? 0);
  }

  /** Lets it end, and write its profile if it makes one. */
  async stop(): Promise<void> {
    await this.#end(() => this.child.disconnect());
  }

  /** kill -9 */
  async kill(): Promise<void> {
    await this.#end(() => this.child.kill('SIGKILL'));
  }

  async #end(how: () => void): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const exited = once(this.child, 'exit');
    how();
    await exited;
  }
}
