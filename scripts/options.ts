import { parseArgs, type ParseArgsConfig } from 'node:util';

/** What the commands of this folder do alike: they read their options, and end. */

type Options = NonNullable<ParseArgsConfig['options']>;

/** Of options that take a text, that may be repeated, and that take none. */
export const TEXT = { type: 'string' } as const;
export const TEXTS = { type: 'string', multiple: true } as const;
export const FLAG = { type: 'boolean', default: false } as const;

/** Says what is wrong with the command, and ends it. */
export function fail(message: string): never {
  console.error(message);
  process.exit(2);
}

/** The options of the command, as `parseArgs` takes them. With --help, or a wrong one, the command ends. */
export const readOptions = <const Wanted extends Options>(help: string, wanted: Wanted) =>
  read(help, wanted, false).values;

/** The same of a command that also takes names: its `positionals`. */
export const readOptionsAndNames = <const Wanted extends Options>(help: string, wanted: Wanted) =>
  read(help, wanted, true);

function read<const Wanted extends Options>(
  help: string,
  wanted: Wanted,
  allowPositionals: boolean,
) {
  const options = { ...wanted, help: { ...FLAG, short: 'h' } } as Wanted & {
    help: { type: 'boolean'; short: 'h'; default: false };
  };
  try {
    const { values, positionals } = parseArgs({ options, allowPositionals });
    if (!(values as { help?: boolean }).help) return { values, positionals };
  } catch (error) {
    // Node's message has several lines of advice after its first sentence.
    const [sentence] = (error as Error).message.split(/\. |\.?\n|\.$/);
    fail(`${sentence}; --help lists the options`);
  }
  process.stdout.write(help);
  process.exit();
}

/**
 * The number of an option; ends the command if it is none.
 * @param most and `least`, 0 by default: both are allowed
 */
export function readNumber(
  name: string,
  text: string,
  { least = 0, most = Infinity, decimals = false },
): number {
  const value = Number(text);
  const pattern = decimals ? /^\d+(\.\d+)?$/ : /^\d+$/;
  if (pattern.test(text) && value >= least && value <= most) return value;
  const range = most === Infinity ? `from ${least}` : `from ${least} to ${most}`;
  return fail(`--${name} must be ${decimals ? 'a' : 'a whole'} number ${range}, not "${text}"`);
}
