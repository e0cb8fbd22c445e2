import { Worker, parentPort, type TransferListItem } from 'node:worker_threads';

interface Waiting<Reply> {
  resolve: (reply: Reply) => void;
  reject: (error: Error) => void;
}

interface Running<Reply> {
  worker: Worker;
  /** Who waits for the answer to each request, by its number. */
  waiting: Map<number, Waiting<Reply>>;
  /** Ends the waiting of all of them with this error. */
  end: (error: Error) => void;
}

export interface AskedThreadOptions {
  program: URL;
  /** What it is for, in the error of those who wait when it ends. */
  name: string;
  /** A thread that does not answer for this long is replaced, milliseconds. */
  timeoutMs: number;
  /** A thread that has not been asked for this long ends, and its memory is free, milliseconds. Default: it stays. */
  idleMs?: number;
}

/** The answer to the request with the number `number`: what was asked for, or why there is none. */
type Numbered<Reply> = { number: number } & (Reply | { error: string });

/**
 * A thread that answers requests, each by its number. It starts when it is first needed, and again after it has ended;
 * it does not keep the process alive.
 */
export class AskedThread<Request extends object, Reply extends object> {
  readonly #options: AskedThreadOptions;
  #running: Running<Reply> | undefined;
  #idle: NodeJS.Timeout | undefined;
  #starts = 0;
  #latest = 0;

  constructor(options: AskedThreadOptions) {
    this.#options = options;
  }

  /** How often it has started: another number, and what it had been told is gone. */
  get starts(): number {
    this.#start();
    return this.#starts;
  }

  /** How many requests wait for their answers. */
  get waiting(): number {
    return this.#running?.waiting.size ?? 0;
  }

  /** Tells it something that has no answer. */
  tell(message: Request): void {
    this.#start().worker.postMessage(message);
  }

  /** @throws Error if the thread ends, does not answer, or answers with an error */
  async ask(request: Request): Promise<Reply> {
    const number = ++this.#latest;
    const { worker, waiting } = this.#start();
    const { timeoutMs, idleMs } = this.#options;
    clearTimeout(this.#idle);
    const timer = setTimeout(() => void worker.terminate(), timeoutMs).unref();
    try {
      return await new Promise<Reply>((resolve, reject) => {
        waiting.set(number, { resolve, reject });
        worker.postMessage({ number, ...request });
      });
    } finally {
      clearTimeout(timer);
      if (idleMs !== undefined && waiting.size === 0)
        this.#idle = setTimeout(() => void this.stop(), idleMs).unref();
    }
  }

  /** Ends it: those who wait get an error. What is asked from now on goes to another one. */
  async stop(): Promise<void> {
    clearTimeout(this.#idle);
    const running = this.#running;
    this.#running = undefined;
    running?.end(this.#endedError());
    await running?.worker.terminate();
  }

  #start(): Running<Reply> {
    if (this.#running) return this.#running;
    const worker = startThread(this.#options.program);
    const waiting = new Map<number, Waiting<Reply>>();
    const running: Running<Reply> = {
      worker,
      waiting,
      end: (error) => {
        if (this.#running === running) this.#running = undefined;
        for (const { reject } of waiting.values()) reject(error);
        waiting.clear();
      },
    };
    this.#running = running;
    this.#starts++;
    worker.unref();
    worker.on('message', (reply: Numbered<Reply>) => {
      const asked = waiting.get(reply.number);
      waiting.delete(reply.number);
      if ('error' in reply) asked?.reject(new Error(reply.error));
      else asked?.resolve(reply);
    });
    worker.on('error', running.end);
    worker.on('exit', () => running.end(this.#endedError()));
    return running;
  }

  #endedError(): Error {
    return new Error(`the thread ${this.#options.name} has ended`);
  }
}

/**
 * Starts a program in a thread of its own.
 * @param program its source; in a build its bundle has the same name and lies beside that of the caller
 */
function startThread(program: URL): Worker {
  if (!import.meta.url.endsWith('.ts')) return new Worker(new URL(bundleOf(program)));
  // From the sources, in development and tests, Node needs tsx to read TypeScript; a thread does not inherit it.
  const source = JSON.stringify(program.href);
  return new Worker(
    `import('tsx/esm/api').then(({ register }) => (register(), import(${source})))`,
    { eval: true },
  );
}

const bundleOf = ({ href }: URL) => href.replace(/\.ts$/, '.js');

/**
 * The other end of an AskedThread: answers the requests of the thread's parent.
 * @param answer resolves with the answer, and with what of it is handed over instead of copied
 */
export function answerRequests<Request extends object>(
  answer: (request: Request) => Promise<{ reply: object; transfer?: TransferListItem[] }>,
): void {
  parentPort?.on('message', (request: Request & { number: number }) => {
    const { number } = request;
    answer(request).then(
      ({ reply, transfer }) => parentPort?.postMessage({ number, ...reply }, transfer),
      (error: unknown) => parentPort?.postMessage({ number, error: String(error) }),
    );
  });
}
