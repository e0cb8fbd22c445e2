import { parseArgs } from 'node:util';
import { MAX_COMPUTES_PER_HOST, MAX_NODES } from './plan.ts';

export interface CliOptions {
  url: string;
  nodes: number;
  computes: number;
  intervalMs: number;
  /** null: until Ctrl-C. */
  durationMs: number | null;
  seed: number;
  secret: string | undefined;
}

/** The command line is wrong; the message is one plain sentence. */
export class UsageError extends Error {
  override name = 'UsageError';
}

export const HELP = `Runs a fleet of nodes that send real heartbeats and announces over HTTP.

  npm run fleet -- --url http://127.0.0.1:3000 --nodes 500 --computes 60 --interval 20

  --url <address>       of the service (default http://127.0.0.1:3000)
  --nodes <n>           nodes in the fleet, 1 to ${MAX_NODES} (default 500)
  --computes <n>        named computes in all, spread over hosts with 1 to ${MAX_COMPUTES_PER_HOST} each
                        (default 12 for every 100 nodes)
  --interval <seconds>  between two heartbeats of a node, 1 to 3600 (default 20);
                        a longer wait that the service asks for is kept to
  --duration <seconds>  ends by itself after this (default: runs until Ctrl-C)
  --seed <n>            a whole number; the same one gives the same fleet (default: random)
  --secret <secret>     WEBHOOK_SECRET of the service (default: the environment variable of that
                        name, or its line in ./.env)
  --help                prints this

Exit code 0 after Ctrl-C or --duration, 1 if the service refused the secret or never accepted a
heartbeat within --duration, 2 for bad options.
`;

/**
 * @param argv without node and script
 * @param defaultSecret WEBHOOK_SECRET; of a comma-separated list the first one is sent
 * @returns null where help is wanted
 * @throws UsageError
 */
export function parseOptions(argv: string[], defaultSecret: string | undefined): CliOptions | null {
  const values = parse(argv);
  if (values.help) return null;
  const nodes = number('nodes', values.nodes, 500, 1, MAX_NODES);
  const duration = values.duration && number('duration', values.duration, 0, 1, 2_000_000, true);
  return {
    url: httpAddress(values.url ?? 'http://127.0.0.1:3000'),
    nodes,
    computes: number(
      'computes',
      values.computes,
      Math.ceil(nodes * 0.12),
      0,
      nodes * MAX_COMPUTES_PER_HOST,
    ),
    intervalMs: number('interval', values.interval, 20, 1, 3600, true) * 1000,
    durationMs: duration ? duration * 1000 : null,
    seed: number('seed', values.seed, Math.floor(Math.random() * 1e6), 0, Number.MAX_SAFE_INTEGER),
    secret: token(values.secret ?? defaultSecret?.split(',')[0]),
  };
}

function parse(argv: string[]) {
  try {
    const text = { type: 'string' } as const;
    return parseArgs({
      args: argv,
      options: {
        url: text,
        nodes: text,
        computes: text,
        interval: text,
        duration: text,
        seed: text,
        secret: text,
        help: { type: 'boolean', short: 'h' },
      },
    }).values;
  } catch (error) {
    // Node's message goes on with advice of several lines; its first sentence says it.
    const [sentence] = (error as Error).message.split(/\. |\.?\n|\.$/);
    throw new UsageError(`${sentence}; --help lists the options`);
  }
}

function number(
  name: string,
  text: string | undefined,
  otherwise: number,
  min: number,
  max: number,
  decimals = false,
): number {
  if (text === undefined) return otherwise;
  const value = Number(text);
  const valid = decimals ? /^\d+(\.\d+)?$/ : /^\d+$/;
  if (valid.test(text) && value >= min && value <= max) return value;
  const kind = decimals ? 'a number' : 'a whole number';
  throw new UsageError(`--${name} must be ${kind} from ${min} to ${max}, not "${text}"`);
}

function httpAddress(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url && /^https?:$/.test(url.protocol) && !url.username && !url.password) return text;
  throw new UsageError(`--url must be an address such as http://127.0.0.1:3000, not "${text}"`);
}

function token(text: string | undefined): string | undefined {
  const secret = text?.trim();
  if (!secret) return undefined;
  if (/^[\x21-\x7e]+$/.test(secret)) return secret;
  throw new UsageError('the secret must be printable ASCII characters without spaces');
}
