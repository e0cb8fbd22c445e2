import { decodeBlock } from '@mesh-registry/protocol/log/block.ts';
import { blocksFrom, entriesAbout, entriesOf, lastEntries, type Entry } from '../log/entries.ts';
import { describeBlock, entryLine } from '../log/describe.ts';
import { openLog, trustFor, unreadable } from '../log/open-log.ts';
import { verifyLog } from '../log/verify.ts';
import { systemClock } from '../run/clock.ts';
import { EXIT, usageError } from '../base/exit.ts';
import { print, printJson, printResult, type Io } from '../terminal/io.ts';
import { printVerdict } from '../terminal/check.ts';
import { printableJson } from '../terminal/printable.ts';
import { endBy } from './run.ts';
import type { CommonOptions, Kit } from './kit.ts';

/** `mesh-agent log`: the public log of the network, as the peer process keeps it or as a directory has it. */

/** How often `tail --follow` looks for new blocks, milliseconds. */
const FOLLOW_MS = 1000;

/** `mesh-agent log verify [DIR]` */
function verifyLogCommand(
  io: Io,
  { state, trust: files, json }: CommonOptions,
  directory?: string,
): number {
  const trust = trustFor(files, state, io.env);
  const reader = openLog(directory, state, io.env);
  const { head, signed, checks } = verifyLog(reader, trust, Date.now());
  return printVerdict(io, {
    json,
    checks,
    facts: { network: trust.network, head, signed },
    passed:
      head.height === 0
        ? `The log of ${trust.network} has no block yet.`
        : `This is the log of ${trust.network}, to block ${head.height}:${head.id}`,
    failed: "This log isn't valid.",
  });
}

interface ShowLogOptions extends CommonOptions {
  dir?: string;
  name?: string;
  node?: string;
}

/** `mesh-agent log show HEIGHT`, `--name NAME` or `--node ID` */
function showLog(io: Io, options: ShowLogOptions, height?: string): number {
  const { dir, name, node, state, json } = options;
  if ([height, name, node].filter((one) => one !== undefined).length !== 1)
    throw usageError('Say what to show: HEIGHT, --name NAME or --node ID.');
  const reader = openLog(dir, state, io.env);
  if (height === undefined) {
    const entries = entriesAbout(reader, { name: name?.toLowerCase(), node });
    if (json) printJson(io, { head: reader.head, entries });
    else if (entries.length > 0) print(io, ...entries.map(entryLine));
    if (entries.length > 0) return EXIT.ok;
    if (!json) io.stderr.write(`The log doesn't mention ${name ?? node}.\n`);
    return EXIT.failed;
  }
  const frame = /^\d{1,15}$/.test(height) ? reader.read(Number(height)) : null;
  if (!frame)
    throw usageError(
      `There is no block ${height}. The log ${reader.head.height === 0 ? 'has none yet' : `ends with block ${reader.head.height}`}.`,
    );
  const block = decodeBlock(frame);
  const { header, id, envelope } = block;
  const shown = { id, ...header, signatures: envelope.signatures, events: entriesOf(block) };
  return printResult(io, options, shown, describeBlock(block));
}

interface TailLogOptions extends CommonOptions {
  lines: string;
  follow?: boolean;
}

/** `mesh-agent log tail [DIR]`: with --json an object a line. */
async function tailLog(
  io: Io,
  { lines, follow, state, json }: TailLogOptions,
  directory?: string,
): Promise<number> {
  if (!/^\d{1,6}$/.test(lines))
    throw usageError('--lines must be a whole number of at most 6 digits.');
  const reader = openLog(directory, state, io.env);
  const printEntries = (entries: readonly Entry[]) =>
    print(io, ...entries.map((entry) => (json ? printableJson(entry) : entryLine(entry))));
  printEntries(lastEntries(reader, Number(lines)));
  if (!follow) return EXIT.ok;
  const ending = new AbortController();
  endBy(['SIGINT', 'SIGTERM'], ending);
  for (;;) {
    await systemClock.sleep(FOLLOW_MS, ending.signal);
    if (ending.signal.aborted) return EXIT.ok;
    const next = reader.head.height + 1;
    if (!reader.refresh()) continue;
    for (const block of blocksFrom(reader, next)) printEntries(entriesOf(block) ?? []);
  }
}

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
export function addLogCommands({ add, group }: Kit): void {
  group('log', "Check and read the network's public log.");
  add(
    'log verify [dir]',
    'Check every block of a log.',
    ['state', 'json', 'trust'],
    reading(verifyLogCommand),
  );
  add(
    'log show [height]',
    'Show a block, or what happened to a name.',
    ['state', 'json'],
    reading(showLog),
  )
    .option('--dir <dir>', 'the log to read; default: the one of the peer process')
    .option('--name <name>', 'everything about a name')
    .option('--node <id>', 'everything about a node');
  add('log tail [dir]', 'Show what happened last.', ['state'], reading(tailLog))
    .option('-n, --lines <count>', 'how many events', '10')
    .option('-f, --follow', 'keep printing new events until Ctrl-C')
    .option('--json', 'one JSON object a line');
}
