import { Worker } from 'node:worker_threads';

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
