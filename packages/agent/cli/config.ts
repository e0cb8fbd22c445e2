import { loadConfig } from '../config/load.ts';
import { configFile } from '../config/paths.ts';
import { readSecret } from '../config/secret.ts';
import { identityFile, readIdentity } from '../identity/key-file.ts';
import { detectMachine, suggestedClass, suggestion } from '../detect/machine.ts';
import { EXIT } from '../base/exit.ts';
import { print, printJson, type Io } from '../terminal/io.ts';

export interface ConfigOptions {
  config?: string;
  json?: boolean;
}

/** `mesh-agent config check`. @throws CommandError with everything that is wrong */
export function checkConfig(io: Io, options: ConfigOptions): number {
  const config = loadConfig(configFile(options.config, io.env));
  readSecret(config, io.env);
  readIdentity(config, io.env);
  const offers = config.compute.length;
  if (options.json) printJson(io, { ok: true, file: config.file });
  else
    print(
      io,
      `${config.file} is valid: sends ${config.map ? 'heartbeats' : 'no heartbeats'}, announces ${offers === 0 ? 'nothing' : offers === 1 ? '1 offer' : `${offers} offers`}.`,
    );
  return EXIT.ok;
}

const MASKED = '********';

/** `mesh-agent config show` */
export function showConfig(io: Io, options: ConfigOptions): number {
  const config = loadConfig(configFile(options.config, io.env));
  const secret = readSecret(config, io.env);
  const shown = {
    file: config.file,
    service: {
      url: config.service.url,
      secret: secret && MASKED,
      secretSource: secret?.source ?? null,
    },
    node: { ...config.node, keyFile: identityFile(config, io.env) },
    map: config.map ?? null,
    compute: config.compute,
  };
  if (options.json) {
    printJson(io, shown);
    return EXIT.ok;
  }
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
  print(
    io,
    config.file,
    ...table('[service]', service),
    ...table('[node]', node),
    ...(map ? table('[map]', map) : ['', 'No [map]: no heartbeat is sent.']),
    ...compute.flatMap((offer) => table('[[compute]]', offer)),
  );
  return EXIT.ok;
}

/** `mesh-agent detect` */
export function detect(io: Io, { json }: Pick<ConfigOptions, 'json'>): number {
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
