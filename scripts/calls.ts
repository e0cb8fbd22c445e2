import type { ChildProcess } from 'node:child_process';

/** Calls of functions that another process has, by messages between a process and its child. */

// A function's own arguments and results are checked where it is called.
type Functions = Record<string, (...args: never[]) => unknown>;
interface Call {
  id: number;
  name: string;
  args: unknown[];
}
type Outcome = { id: number; value: unknown } | { id: number; error: string };
interface Pending {
  resolve: (value: unknown) => void;
  reject: (error: Error) => void;
}

/** In the child: calls what the parent asks for, and ends with it. */
export function answerCalls(functions: Functions): void {
  // If the parent is gone, this process is about to end.
  const send = (outcome: Outcome) => void process.send?.(outcome, undefined, undefined, () => {});
  process.on('message', ({ id, name, args }: Call) => {
    const called = functions[name] as (...args: unknown[]) => unknown;
    new Promise((resolve) => resolve(called(...args))).then(
      (value) => send({ id, value }),
      (error: unknown) => send({ id, error: String(error instanceof Error ? error.stack : error) }),
    );
  });
  process.on('disconnect', () => process.exit());
}

/** In the parent: answers with a function that calls one of the child's, and fails if the child ends meanwhile. */
export function callsOf<All extends Functions>(child: ChildProcess, what: string) {
  const pending = new Map<number, Pending>();
  let calls = 0;
  child.on('message', (message: Outcome | object) => {
    if (!('id' in message)) return;
    const call = pending.get(message.id);
    pending.delete(message.id);
    if ('error' in message) call?.reject(new Error(message.error));
    else call?.resolve(message.value);
  });
  const fail = (why: string) => {
    for (const { reject } of pending.values()) reject(new Error(`${what} ${why}.`));
  };
  child.once('error', (error) => fail(`could not start: ${error.message}`));
  child.once('exit', (code, signal) => fail(`ended with ${signal ?? code}`));
  return <Name extends keyof All & string>(
    name: Name,
    ...args: Parameters<All[Name]>
  ): Promise<Awaited<ReturnType<All[Name]>>> =>
    new Promise((resolve, reject) => {
      const id = ++calls;
      pending.set(id, { resolve: resolve as Pending['resolve'], reject });
      child.send({ id, name, args } satisfies Call);
    });
}
