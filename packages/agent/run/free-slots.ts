import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { AnnouncedCompute } from '@mesh-registry/protocol/rest/computes.schema.ts';
import type { FreeSlots } from '../config/config.schema.ts';

/** How long a command may take, milliseconds. */
const TIMEOUT_MS = 10_000;
/** How many characters of what a file or a command says are told. */
const SHOWN = 100;

export type SlotsResult = { ok: true; freeSlots: number } | { ok: false; message: string };

/** How many slots an offer has free now: as configured, or what its file or command says. Never rejects. */
export async function readFreeSlots(
  source: FreeSlots,
  env: Readonly<Record<string, string | undefined>>,
  signal: AbortSignal,
): Promise<SlotsResult> {
  if (typeof source === 'number') return { ok: true, freeSlots: source };
  try {
    return 'file' in source
      ? wholeNumber(await readFile(source.file, 'utf8'), source.file)
      : wholeNumber(await run(source.command, env, signal), source.command.join(' '));
  } catch (error) {
    return { ok: false, message: (error as Error).message };
  }
}

function wholeNumber(text: string, from: string): SlotsResult {
  const trimmed = text.trim();
  const parsed = AnnouncedCompute.shape.freeSlots.safeParse(
    /^\d+$/.test(trimmed) ? Number(trimmed) : undefined,
  );
  if (parsed.success) return { ok: true, freeSlots: parsed.data };
  return {
    ok: false,
    message: `${from} says ${JSON.stringify(trimmed.slice(0, SHOWN))} instead of a whole number from 0 to 1000000`,
  };
}

/** Without a shell: arguments are passed as they are. It does not get the secret. */
function run(
  [program = '', ...args]: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  signal: AbortSignal,
): Promise<string> {
  const { MESH_AGENT_SECRET: _, CREDENTIALS_DIRECTORY: __, ...passed } = env;
  return new Promise((resolve, reject) =>
    execFile(
      program,
      args,
      {
        env: passed as NodeJS.ProcessEnv,
        signal,
        timeout: TIMEOUT_MS,
        killSignal: 'SIGKILL',
        maxBuffer: 64 * 1024,
      },
      (error, stdout, stderr) => {
        if (!error) return resolve(stdout);
        const said = stderr.trim().split('\n').at(-1)?.slice(0, SHOWN);
        const why = error.killed
          ? `took longer than ${TIMEOUT_MS / 1000} s`
          : error.code === 'ENOENT'
            ? 'is not there'
            : `ended with ${error.code ?? error.signal ?? 'an error'}${said ? `: ${said}` : ''}`;
        reject(new Error(`${program} ${why}`));
      },
    ),
  );
}
