import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { ENVIRONMENT } from './binaries.ts';

/**
 * A process that ends the server when we are gone, however we end: an exit handler does not run after SIGKILL, but a
 * pipe always closes.
 */
export interface Watchdog {
  /** Which server to end; 0: none. */
  readonly watch: (pid: number) => void;
  /** Our server has ended: it goes too, after it has removed the directories that it was given. */
  stop(): Promise<void>;
}

/**
 * Reads process ids until its input closes, and then ends the last one: in good order within two seconds, else at once.
 * By then the id may belong to another process, so the pid file has to name it, and where the system tells, its
 * arguments have to name the cluster. A server that is still starting writes its pid file within a moment.
 */
const SCRIPT = `
  cluster=$1 pid=0
  shift
  while read -r line; do pid=$line; done
  ours() {
    read -r named < "$cluster/postmaster.pid" && [ "$named" = "$pid" ] && kill -0 "$pid" &&
      { [ ! -d "/proc/$pid" ] || tr '\\0' '\\n' < "/proc/$pid/cmdline" | grep -Fxq -- "$cluster"; }
  }
  gone() {
    left=$1
    while kill -0 "$pid" && [ "$left" -gt 0 ]; do sleep 0.1; left=$((left - 1)); done
    ! kill -0 "$pid"
  }
  if [ "$pid" -gt 0 ]; then
    tries=30
    until ours || [ "$tries" -eq 0 ] || ! kill -0 "$pid"; do sleep 0.1; tries=$((tries - 1)); done
  fi
  if [ "$pid" -gt 0 ] && ours; then
    kill -INT "$pid"; gone 20 || { kill -QUIT "$pid"; gone 15 || kill -KILL "$pid"; }
  fi
  [ $# -eq 0 ] || rm -rf "$@"`;

/** @param remove directories that go with us */
export async function startWatchdog(cluster: string, remove: string[] = []): Promise<Watchdog> {
  const child: ChildProcess = spawn('/bin/sh', ['-c', SCRIPT, 'watchdog', cluster, ...remove], {
    cwd: '/',
    env: ENVIRONMENT,
    stdio: ['pipe', 'ignore', 'ignore'],
    // Ctrl-C in a terminal reaches only us.
    detached: true,
  });
  await once(child, 'spawn');
  child.unref();
  // It was killed: the next start ends what we leave.
  child.stdin?.on('error', () => undefined);
  // A pipe to a child is a socket, although its type does not say so.
  (child.stdin as unknown as { unref(): void }).unref();
  return {
    watch: (pid) => void child.stdin?.write(`${pid}\n`),
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.ref();
      const ended = once(child, 'exit');
      child.stdin?.end('0\n');
      await ended;
    },
  };
}
