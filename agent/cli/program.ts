import { Command, CommanderError } from 'commander';
import { CommandError, EXIT } from './exit.ts';
import { EXAMPLES, FOOTER, type CommandName } from './help.ts';
import { hasColours, type Io } from './io.ts';
import { run } from './run.ts';
import { status } from './status.ts';

/** Runs the command that the arguments ask for. @returns the exit code */
export async function main(io: Io, args: readonly string[]): Promise<number> {
  let exitCode: number = EXIT.ok;
  const program = createProgram(io, (code) => (exitCode = code));
  try {
    await program.parseAsync(args, { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    if (!(error instanceof CommandError)) throw error;
    if (args.includes('--json'))
      io.stdout.write(
        `${JSON.stringify({ ok: false, exitCode: error.exitCode, error: error.message })}\n`,
      );
    else io.stderr.write(`mesh-agent: ${error.message}\n`);
    return error.exitCode;
  }
}

/** An action's options, as commander gives them. */
type Action<Options> = (io: Io, options: Options, ...args: string[]) => number | Promise<number>;

function createProgram(io: Io, done: (exitCode: number) => void): Command {
  const program = new Command('mesh-agent')
    .description('Puts your node on the map of a Mesh Registry, and keeps it there.')
    .version(io.version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand('help [command]', 'print the help of a command')
    .configureOutput({
      writeOut: (text) => void io.stdout.write(text),
      writeErr: (text) => void io.stderr.write(text),
      outputError: (text, write) => write(text.replace(/^error: /, 'mesh-agent: ')),
      getOutHasColors: () => hasColours(io),
      getErrHasColors: () => false,
      getOutHelpWidth: () => Math.min(io.stdout.columns ?? 80, 100),
    })
    .showHelpAfterError('Try --help.')
    .exitOverride()
    .addHelpText('after', `\n${FOOTER}`);

  /** @param name with its arguments: `claim <link>` */
  const command = (parent: Command, name: string, key: CommandName, summary: string) =>
    parent
      .command(name)
      .description(summary)
      .helpOption('-h, --help', 'print this help')
      .addHelpText('after', `\n${EXAMPLES[key]}`);

  /** Commander passes arguments first, then options, then the command. */
  const handle =
    <Options>(action: Action<Options>) =>
    async (...parameters: unknown[]) => {
      const args = parameters.slice(0, -2) as string[];
      done(await action(io, parameters.at(-2) as Options, ...args));
    };

  const withConfig = (command: Command) =>
    command.option('-c, --config <file>', 'the configuration to use');
  const withState = (command: Command) =>
    command.option('--state <dir>', 'where the agent keeps its state and its socket');

  withState(
    withConfig(command(program, 'run', 'run', 'Send heartbeats and announcements until stopped.')),
  )
    .option('--once', 'send one of each, then end')
    .option('--dry-run', 'print what would be sent, and send nothing')
    .option('--json', 'one JSON object a line')
    .action(handle(run));

  withState(
    withConfig(command(program, 'status', 'status', 'Show what the running agent did last.')),
  )
    .option('--json', 'one JSON document')
    .action(handle(status));

  return program;
}
