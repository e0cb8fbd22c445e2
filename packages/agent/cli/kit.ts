import type { Command } from 'commander';
import type { Io } from '../terminal/io.ts';
import { EXAMPLES, type HelpName } from './help.ts';

/** An action's options, as commander gives them. */
type Action<Options> = (io: Io, options: Options, ...args: string[]) => number | Promise<number>;

export type Kit = ReturnType<typeof createKit>;

/** What commands are made with: their help, their action, and the options that many of them have. */
export function createKit(io: Io, done: (exitCode: number) => void) {
  return {
    /** @param name with its arguments: `claim <link>` */
    command: (parent: Command, name: string, key: HelpName, summary: string) =>
      parent
        .command(name)
        .description(summary)
        .helpOption('-h, --help', 'print this help')
        .addHelpText('after', `\n${EXAMPLES[key]}`),

    /** Commander passes arguments first, then options, then the command. */
    handle:
      <Options>(action: Action<Options>) =>
      async (...parameters: unknown[]) => {
        // A variadic argument is a list.
        const args = parameters.slice(0, -2).flat() as string[];
        done(await action(io, parameters.at(-2) as Options, ...args));
      },

    withConfig: (command: Command) =>
      command.option('-c, --config <file>', 'the configuration to use'),
    withState: (command: Command) =>
      command.option('--state <dir>', 'where the agent keeps its state and its socket'),
    json: (command: Command) => command.option('--json', 'one JSON document'),
  };
}
