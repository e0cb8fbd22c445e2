import { accessSync, constants, statSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';
import { delimiter, join } from 'node:path';
import type { NodeClass } from '@mesh-registry/protocol/values.schema.ts';
import type { Env } from '../config/paths.ts';

/** What this machine has. Nothing of it is sent anywhere. */
export interface Machine {
  cpus: number;
  memoryGib: number;
  /** Of those that the agent looks for: where each one is. */
  programs: { name: Program; file: string }[];
}

/** Backends, and what comes with a graphics card. */
const PROGRAMS = ['docker', 'podman', 'ollama', 'nvidia-smi'] as const;
type Program = (typeof PROGRAMS)[number];

/** Looks at the number of processors, the memory, and the folders of PATH; starts nothing. */
export const detectMachine = (env: Env): Machine => ({
  cpus: availableParallelism(),
  memoryGib: Math.round(totalmem() / 2 ** 30),
  programs: PROGRAMS.flatMap((name) => {
    const file = findProgram(name, env);
    return file === null ? [] : [{ name, file }];
  }),
});

function findProgram(name: string, env: Env): string | null {
  const files = (env['PATH'] ?? '')
    .split(delimiter)
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, name));
  return files.find(isExecutable) ?? null;
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

/** A suggestion; the operator decides. */
export function suggestedClass({ cpus, memoryGib, programs }: Machine): NodeClass {
  if (cpus >= 32 || memoryGib >= 120 || programs.some(({ name }) => name === 'nvidia-smi'))
    return 'L';
  return cpus >= 8 || memoryGib >= 15 ? 'M' : 'S';
}

/** A piece of configuration to paste and to change. */
export function suggestion(machine: Machine): string {
  const size = suggestedClass(machine);
  const backends = machine.programs.map(({ name }) => name).filter((name) => name !== 'nvidia-smi');
  const offers = backends.map((backend) =>
    [
      '',
      '[[compute]]',
      `name = "my-${backend}"     # a name of yours, which has to be registered to be listed`,
      `class = "${size}"`,
      `backend = "${backend}"`,
      'replicas = 1',
      'free_slots = 1         # or { file = "/path" }, or { command = ["program", "argument"] }',
      'visibility = "private"',
    ].join('\n'),
  );
  return [`# class = "${size}"          # below [node]`, ...offers].join('\n');
}
