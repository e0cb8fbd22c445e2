import { detectMachine, suggestedClass, suggestion } from '../detect/machine.ts';
import { readSecret, secretToSend } from '../config/secret.ts';
import { identityFile, readIdentity } from '../identity/key-file.ts';
import { printResult, type Io } from '../terminal/io.ts';
import { configOf, type CommonOptions } from './kit.ts';

/** `mesh-agent config check`. @throws CommandError with everything that is wrong */
export function checkConfig(io: Io, options: CommonOptions): number {
  const config = configOf(io, options);
  const { file, map, compute } = config;
  secretToSend(config, io.env);
  readIdentity(config, io.env);
  const offers =
    compute.length === 0
      ? 'nothing'
      : compute.length === 1
        ? '1 offer'
        : `${compute.length} offers`;
  return printResult(io, options, { ok: true, file }, [
    `${file} is valid: sends ${map ? 'heartbeats' : 'no heartbeats'}, announces ${offers}.`,
  ]);
}

const MASKED = '********';

/** `mesh-agent config show` */
export function showConfig(io: Io, options: CommonOptions): number {
  const config = configOf(io, options);
  const secret = readSecret(config, io.env);
  const shown = {
    file: config.file,
    service: {
      url: config.service.url,
      insecureHttp: config.service.insecureHttp,
      secret: secret && MASKED,
      secretSource: secret?.source ?? null,
    },
    node: { ...config.node, keyFile: identityFile(config, io.env) },
    map: config.map ?? null,
    compute: config.compute,
  };
  const { service, node, map, compute } = shown;
  const table = (name: string, values: object) => [
    '',
    name,
    ...Object.entries(values)
      .filter(([, value]) => value !== undefined && value !== null)
      .map(
        ([key, value]) =>
          `${key.padEnd(14)} ${typeof value === 'string' ? value : JSON.stringify(value)}`,
      ),
  ];
  return printResult(io, options, shown, [
    config.file,
    ...table('[service]', service),
    ...table('[node]', node),
    ...(map ? table('[map]', map) : ['', 'No [map]: no heartbeat is sent.']),
    ...compute.flatMap((offer) => table('[[compute]]', offer)),
  ]);
}

/** `mesh-agent detect` */
export function detect(io: Io, options: CommonOptions): number {
  const machine = detectMachine(io.env);
  const programs = machine.programs.map(({ file }) => file).join(', ');
  return printResult(io, options, { ...machine, suggestedClass: suggestedClass(machine) }, [
    `# ${machine.cpus} processors, ${machine.memoryGib} GiB of memory.`,
    `# Found: ${programs || 'neither docker, podman nor ollama'}.`,
    '# Nothing of this was sent. Paste what you want into the configuration:',
    '',
    suggestion(machine),
  ]);
}
