import { join } from 'node:path';
import { build } from 'esbuild';
import { agentBundle, REQUIRE } from '../agent-bundle.mjs';

/** Builds the program of the bench's processes as the agent is built. @returns the file */
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
