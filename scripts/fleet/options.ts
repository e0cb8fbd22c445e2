import { parseArgs } from 'node:util';
import { MAX_COMPUTES_PER_HOST, MAX_NODES } from './plan.ts';
import { MAX_SEED } from './random.ts';

export interface CliOptions {
  url: string;
  nodes: number;
  computes: number;
  intervalMs: number;
  /** null: until Ctrl-C. */
  durationMs: number | null;
  seed: number;
  secret: string | undefined;
  /** Whether each node signs what it sends with a key of its own. */
  signed: boolean;
}

/** The command line is wrong. The message is one sentence for the user. */
export class UsageError extends Error {
  override name = 'UsageError';
}

const DEFAULT_URL = 'http://127.0.0.1:3000';

export const HELP = `Simulates a fleet of nodes that send real heartbeats and announcements over HTTP.

  npm run fleet -- --url ${DEFAULT_URL} --nodes 500 --computes 60 --interval 20

  --url <address>       of the service (default ${DEFAULT_URL})
  --nodes <n>           number of nodes, 1 to ${MAX_NODES} (default 500)
  --computes <n>        number of compute offers, 1 to ${MAX_COMPUTES_PER_HOST} on each host
                        (default 12 for every 100 nodes)
  --interval <seconds>  between two heartbeats of a node, 1 to 3600 (default 20);
                        if the service asks for a longer pause, the fleet complies
  --duration <seconds>  stop after this long (default: run until Ctrl-C)
  --seed <n>            a whole number; the same seed gives the same fleet (default: random)
  --secret <secret>     the service's WEBHOOK_SECRET (default: the environment variable of that
                        name, or its line in ./.env)
  --signed              each node signs what it sends with a key of its own, the same with the
                        same seed
  --help                print this help

Exit code 0 after Ctrl-C or --duration, 1 if the service rejected the secret or accepted no
heartbeat within --duration, 2 for invalid options.
`;

/**
 * @param argv without node and script
 * @param defaultSecret WEBHOOK_SECRET; of a comma-separated list, the fleet sends the first
 * @returns null if the user asks for help
 * @throws UsageError
 */
export function parseOptions(argv: string[], defaultSecret: string | undefined): CliOptions | null {
  const values = parse(argv);
  if (values.help) return null;
  const nodes = parseNumber('nodes', values.nodes, { min: 1, max: MAX_NODES }) ?? 500;
  const mostComputes = nodes * MAX_COMPUTES_PER_HOST;
  const computes = parseNumber('computes', values.computes, { min: 0, max: mostComputes });
  const seconds = { min: 1, decimals: true };
  const interval = parseNumber('interval', values.interval, { ...seconds, max: 3600 });
  const duration = parseNumber('duration', values.duration, { ...seconds, max: 2_000_000 });
  const seed = parseNumber('seed', values.seed, { min: 0, max: MAX_SEED });
  return {
    url: parseUrl(values.url ?? DEFAULT_URL),
    nodes,
    computes: computes ?? Math.ceil(nodes * 0.12),
    intervalMs: (interval ?? 20) * 1000,
    durationMs: duration === undefined ? null : duration * 1000,
    seed: seed ?? Math.floor(Math.random() * 1e6),
    secret: parseSecret(values.secret ?? defaultSecret?.split(',')[0]),
    signed: values.signed === true,
  };
}

function parse(argv: string[]) {
  const text = { type: 'string' } as const;
  const numbers = { nodes: text, computes: text, interval: text, duration: text, seed: text };
  const flag = { type: 'boolean' } as const;
  const help = { ...flag, short: 'h' } as const;
  try {
    const options = { url: text, ...numbers, secret: text, signed: flag, help };
    return parseArgs({ args: argv, options }).values;
  } catch (error) {
    // Node's message has several lines of advice after its first sentence.
    const [sentence] = (error as Error).message.split(/\. |\.?\n|\.$/);
    throw new UsageError(`${sentence}; --help lists the options`);
  }
}

function parseNumber(
  name: string,
  text: string | undefined,
  { min, max, decimals = false }: { min: number; max: number; decimals?: boolean },
): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  const pattern = decimals ? /^\d+(\.\d+)?$/ : /^\d+$/;
  if (pattern.test(text) && value >= min && value <= max) return value;
  const kind = decimals ? 'a number' : 'a whole number';
  throw new UsageError(`--${name} must be ${kind} from ${min} to ${max}, not "${text}"`);
}

function parseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url && /^https?:$/.test(url.protocol) && !url.username && !url.password) return text;
  throw new UsageError(`--url must be an address such as ${DEFAULT_URL}, not "${text}"`);
}

function parseSecret(text: string | undefined): string | undefined {
  const secret = text?.trim();
  if (!secret) return undefined;
  if (/^[\x21-\x7e]+$/.test(secret)) return secret;
  throw new UsageError('the secret must be printable ASCII characters without spaces');
}
