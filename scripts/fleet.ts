import { MAX_COMPUTES_PER_HOST, MAX_NODES, planFleet, simulatedKey } from './fleet/plan.ts';
import { formatProgress, formatSummary, type FleetProgress } from './fleet/progress.ts';
import { MAX_SEED, seededRandom } from './fleet/random.ts';
import { FleetUnauthorized, runFleet } from './fleet/run.ts';
import { fail, FLAG, readNumber, readOptions, TEXT } from './options.ts';

/** `npm run fleet`: `--help` says what it does. */

/** Without a terminal, one line this often (seconds). */
const LOG_EVERY = 10;

const DEFAULT_URL = 'http://127.0.0.1:3000';

const HELP = `Simulates a fleet of nodes that send real heartbeats and announcements over HTTP.

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

const { durationMs, signed, ...options } = readCommand();
const { url, intervalMs, seed } = options;
const plan = planFleet(options);
const hosts = plan.nodes.filter(({ computes }) => computes.length > 0).length;
console.log(
  `${options.nodes} ${signed ? 'signing ' : ''}nodes, ${options.computes} compute offers on ${hosts} hosts, a heartbeat every ` +
    `${intervalMs / 1000} s to ${url} (seed ${seed}); press Ctrl-C to stop`,
);
const end = new AbortController();
const stop = () => end.abort();
process.on('SIGINT', stop).on('SIGTERM', stop);
// The reader of our output may go away, as `| head` does.
process.stdout.on('error', stop);
const timer = durationMs === undefined ? undefined : setTimeout(stop, durationMs);
const { isTTY } = process.stdout;
try {
  const last = await runFleet({
    url,
    plan,
    intervalMs,
    secret: options.secret,
    keyOf: signed ? (nodeId) => simulatedKey(seed, nodeId) : undefined,
    signal: end.signal,
    random: seededRandom(seed, 'lifecycle'),
    onProgress: isTTY ? rewriteInPlace() : logNowAndThen(),
  });
  process.stdout.write(`${isTTY ? '\n' : ''}${formatSummary(last).join('\n')}\n`);
  if (durationMs !== undefined && last.pings === 0) process.exitCode = 1;
} catch (error) {
  if (!(error instanceof FleetUnauthorized)) throw error;
  console.error(`fleet: ${error.message}`);
  process.exitCode = 1;
} finally {
  clearTimeout(timer);
}

function rewriteInPlace(): (progress: FleetProgress) => void {
  let above = 0;
  return (progress) => {
    const width = (process.stdout.columns || 80) - 1;
    const lines = formatProgress(progress).map((line) => line.slice(0, width));
    const home = above > 0 ? `\x1b[${above}A\r` : '\r';
    process.stdout.write(`${home}\x1b[J${lines.join('\n')}`);
    above = lines.length - 1;
  };
}

function logNowAndThen(): (progress: FleetProgress) => void {
  let calls = 0;
  return (progress) => {
    if (++calls % LOG_EVERY === 0) console.log(formatProgress(progress).join(' | '));
  };
}

/** What the command line asks for, with times in milliseconds. Without a duration, the fleet runs until Ctrl-C. */
function readCommand() {
  const { url, secret, signed, ...values } = readOptions(HELP, {
    url: { ...TEXT, default: DEFAULT_URL },
    nodes: { ...TEXT, default: '500' },
    computes: TEXT,
    interval: { ...TEXT, default: '20' },
    duration: TEXT,
    seed: { ...TEXT, default: String(Math.floor(Math.random() * 1e6)) },
    secret: TEXT,
    signed: FLAG,
  });
  const nodes = readNumber('nodes', values.nodes, { least: 1, most: MAX_NODES });
  const seconds = { least: 1, decimals: true };
  return {
    url: requireUrl(url),
    nodes,
    computes: readNumber('computes', values.computes ?? String(Math.ceil(nodes * 0.12)), {
      most: nodes * MAX_COMPUTES_PER_HOST,
    }),
    intervalMs: readNumber('interval', values.interval, { ...seconds, most: 3600 }) * 1000,
    durationMs:
      values.duration === undefined
        ? undefined
        : readNumber('duration', values.duration, { ...seconds, most: 2_000_000 }) * 1000,
    seed: readNumber('seed', values.seed, { most: MAX_SEED }),
    secret: requireSecret(secret ?? webhookSecret()),
    /** Whether each node signs what it sends with a key of its own. */
    signed,
  };
}

/** From the environment, or from the `.env` that the service reads too. Of several secrets, the first. */
function webhookSecret(): string | undefined {
  try {
    process.loadEnvFile('.env');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  return process.env['WEBHOOK_SECRET']?.split(',')[0];
}

function requireUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url && /^https?:$/.test(url.protocol) && !url.username && !url.password) return text;
  return fail(`--url must be an address such as ${DEFAULT_URL}, not "${text}"`);
}

function requireSecret(text: string | undefined): string | undefined {
  const secret = text?.trim();
  if (!secret || /^[\x21-\x7e]+$/.test(secret)) return secret || undefined;
  return fail('the secret must be printable ASCII characters without spaces');
}
