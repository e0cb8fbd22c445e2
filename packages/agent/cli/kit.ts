import type { Command } from 'commander';
import { loadConfig, type Config } from '../config/load.ts';
import { configFile } from '../config/paths.ts';
import { INSECURE_OPTION } from '../config/secret.ts';
import type { Io } from '../terminal/io.ts';
import { DETAILS, type CommandPath } from './help.ts';

/** What many commands are given; each has some of them. */
export interface CommonOptions {
  config?: string;
  state?: string;
  /** Files, in their order. */
  trust?: string[];
  json?: boolean;
  insecureHttp?: boolean;
}

/** An option that may be given more than once: its values, in their order. */
export const each = (value: string, before: string[] = []): string[] => [...before, value];

const COMMON = {
  config: ['-c, --config <file>', 'the configuration to use'],
  state: ['--state <dir>', 'where the agent keeps its state and its socket'],
  trust: [
    '--trust <file>',
    'what you already trust: a published document or a signed root; can be repeated',
    each,
  ],
  json: ['--json', 'one JSON document'],
  insecureHttp: [INSECURE_OPTION, 'send the secret to another machine without TLS as well'],
} as const satisfies Record<keyof CommonOptions, readonly unknown[]>;

/** The configuration that `--config` names, or the one of this user or machine. @throws CommandError */
export const configOf = (io: Io, options: CommonOptions): Config =>
  configIn(configFile(options.config, io.env), options);

/** The configuration in a file, with what options say in its place. @throws CommandError */
export function configIn(file: string, { insecureHttp = false }: CommonOptions): Config {
  const config = loadConfig(file);
  const { service } = config;
  return { ...config, service: { ...service, insecureHttp: service.insecureHttp || insecureHttp } };
}

/** @returns the exit code */
type Action<Options> = (io: Io, options: Options, ...args: string[]) => number | Promise<number>;

export type Kit = ReturnType<typeof createKit>;

/** What commands are added with. @param done gets the exit code of the one that ran */
export function createKit(program: Command, io: Io, done: (exitCode: number) => void) {
  /** @param path of a command, `truth draft` @returns the one above it, and its own name */
  const placeOf = (path: string): [above: Command, name: string] => {
    const words = path.split(' ');
    const name = words.pop() ?? '';
    const find = (above: Command, word: string) =>
      above.commands.find((command) => command.name() === word) ?? above;
    return [words.reduce(find, program), name];
  };

  /** Adds a command that only leads to those below it. */
  function group(path: string, summary: string): void {
    const [above, name] = placeOf(path);
    above.command(name).description(summary);
  }

  /**
   * Adds a command.
   * @param usage its path and its arguments: `log show [height]`
   * @param common which of the options it has that many commands have
   */
  function add<Options>(
    usage: CommandPath | `${CommandPath} ${'<' | '['}${string}`,
    summary: string,
    common: readonly (keyof typeof COMMON)[],
    action: Action<Options>,
  ): Command {
    const [path = '', ...args] = usage.split(/ (?=[<[])/);
    const [above, last] = placeOf(path);
    const command = above
      .command([last, ...args].join(' '))
      .description(summary)
      .helpOption('-h, --help', 'print this help')
      .addHelpText('after', `\n${DETAILS[path as CommandPath]}`)
      // Commander passes arguments first, a variadic one as a list, then options, then the command.
      .action(async (...parameters: unknown[]) => {
        const given = parameters.slice(0, -2).flat() as string[];
        done(await action(io, parameters.at(-2) as Options, ...given));
      });
    for (const name of common) {
      const [flags, what, collect]: readonly [string, string, typeof each?] = COMMON[name];
      if (collect) command.option(flags, what, collect);
      else command.option(flags, what);
    }
    return command;
  }

  return { group, add };
}
