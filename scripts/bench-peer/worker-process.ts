import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { build } from 'esbuild';
import { PEER_ENVIRONMENT } from '@mesh-registry/agent/service/systemd.ts';
import { usageOf, type Usage } from '../../test/support/processes.ts';
import { agentBundle, REQUIRE } from '../agent-bundle.mjs';
import type { Answer, Call, Methods } from './worker.ts';

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
  /** Told what must not happen, such as a peer that punishes another one. */
  onFault: (fault: string) => void;
}

type Result<M extends keyof Methods> = Awaited<ReturnType<Methods[M]>>;
interface Pending {
  resolve: (value: unknown) => void;
  reject: (error: Error) => void;
}

/** They end with this process. */
const running = new Set<ChildProcess>();
process.on('exit', () => running.forEach((child) => child.kill('SIGKILL')));

/** A process of the network, as the bench has hold of it. */
export class WorkerProcess {
  readonly #pending = new Map<number, Pending>();
  #calls = 0;

  private constructor(private readonly child: ChildProcess) {}

  /** @throws if it ends before it is ready */
  static async start(options: WorkerOptions): Promise<WorkerProcess> {
    const child = fork(options.program, {
      execPath: options.node,
      execArgv: [...options.nodeArgs],
      // As the units have it that the agent writes.
      env: { ...process.env, ...PEER_ENVIRONMENT },
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    running.add(child);
    const worker = new WorkerProcess(child);
    const ready = new Promise((resolve, reject) => {
      worker.#pending.set(0, { resolve, reject });
    });
    child.on('message', (answer: Answer) => {
      if ('fault' in answer) options.onFault(answer.fault);
      else worker.#answered(answer);
    });
    child.once('error', (error) => worker.#pending.get(0)?.reject(error));
    child.once('exit', (code, signal) => {
      running.delete(child);
      for (const { reject } of worker.#pending.values())
        reject(new Error(`A process of the network ended with ${signal ?? code}.`));
    });
    await ready;
    return worker;
  }

  call<M extends keyof Methods>(method: M, ...args: Parameters<Methods[M]>): Promise<Result<M>> {
    const id = ++this.#calls;
    this.child.send({ id, method, args } satisfies Call);
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve: resolve as (value: unknown) => void, reject });
    });
  }

  #answered({ id, value, error }: { id: number; value?: unknown; error?: string }): void {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    if (error === undefined) pending?.resolve(value);
    else pending?.reject(new Error(error));
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
    // Nobody waits for its answers any more.
    this.#pending.clear();
    const exited = once(this.child, 'exit');
    how();
    await exited;
  }
}
