import { detectMachine, suggestedClass, suggestion } from '../detect/machine.ts';
import { EXIT } from '../base/exit.ts';
import { print, printJson, type Io } from '../terminal/io.ts';

/** `mesh-agent detect` */
export function detect(io: Io, { json }: { json?: boolean }): number {
  const machine = detectMachine(io.env);
  if (json) {
    printJson(io, { ...machine, suggestedClass: suggestedClass(machine) });
    return EXIT.ok;
  }
  const programs = machine.programs.map(({ file }) => file).join(', ');
  print(
    io,
    `# ${machine.cpus} processors, ${machine.memoryGib} GiB of memory.`,
    `# Found: ${programs || 'neither docker, podman nor ollama'}.`,
    '# Nothing of this was sent. Paste what you want into the configuration:',
    '',
    suggestion(machine),
  );
  return EXIT.ok;
}
