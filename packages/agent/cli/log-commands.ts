import type { Command } from 'commander';
import { unreadable } from '../log/open-log.ts';
import { showLog, tailLog, verifyLogCommand } from './log.ts';
import type { Kit } from './program.ts';

/** A log that is damaged is no bug of ours. */
const reading =
  <Args extends unknown[]>(action: (...args: Args) => number | Promise<number>) =>
  async (...args: Args): Promise<number> => {
    try {
      return await action(...args);
    } catch (error) {
      throw unreadable(error);
    }
  };

/** `mesh-agent log` and what is below it. */
export function addLogCommands(program: Command, { command, handle, json, withState }: Kit): void {
  const log = program.command('log').description("Check and read the network's public log.");
  json(withState(command(log, 'verify [dir]', 'logVerify', 'Check every block of a log.')))
    .option(
      '--trust <file>',
      'what is believed already: a published document, a signed root; may be given again',
      (file: string, before: string[] = []) => [...before, file],
    )
    .action(handle(reading(verifyLogCommand)));
  json(
    withState(
      command(log, 'show [height]', 'logShow', 'Show a block, or what happened to a name.'),
    ),
  )
    .option('--dir <dir>', 'the log to read; default: the one of the peer process')
    .option('--name <name>', 'everything about a name')
    .option('--node <id>', 'everything about a node')
    .action(handle(reading(showLog)));
  withState(command(log, 'tail [dir]', 'logTail', 'Show what happened last.'))
    .option('-n, --lines <count>', 'how many events', '10')
    .option('-f, --follow', 'go on with what is new, until Ctrl-C')
    .option('--json', 'one JSON object a line')
    .action(handle(reading(tailLog)));
}
