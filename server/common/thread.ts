import { parentPort, Worker, type TransferListItem } from 'node:worker_threads';

/**
 * Starts a program in a thread of its own.
 * @param program its source; in a build its bundle has the same name and lies beside that of the caller
 */
export function startThread(program: URL): Worker {
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
export function answerRequests<Request extends { n: number }>(
  answer: (request: Request) => Promise<{ reply: object; transfer?: TransferListItem[] }>,
): void {
  parentPort?.on('message', (request: Request) => {
    const { n } = request;
    answer(request).then(
      ({ reply, transfer }) => parentPort?.postMessage({ n, ...reply }, transfer),
      (error: unknown) => parentPort?.postMessage({ n, error: String(error) }),
    );
  });
}
