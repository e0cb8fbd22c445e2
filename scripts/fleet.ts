import { parseOptions, HELP, UsageError, type CliOptions } from './fleet/options.ts';
import { planFleet, simulatedKey } from './fleet/plan.ts';
import { formatProgress, formatSummary, type FleetProgress } from './fleet/progress.ts';
import { seededRandom } from './fleet/random.ts';
import { FleetUnauthorized, runFleet } from './fleet/run.ts';

/** `npm run fleet`: see HELP. */

/** Without a terminal, one line this often (seconds). */
const LOG_EVERY = 10;

process.exitCode = await main();

async function main(): Promise<number> {
  try {
    const options = parseOptions(process.argv.slice(2), webhookSecret());
    if (options) return await simulate(options);
    process.stdout.write(HELP);
    return 0;
  } catch (error) {
    if (!(error instanceof UsageError || error instanceof FleetUnauthorized)) throw error;
    process.stderr.write(`fleet: ${error.message}\n`);
    return error instanceof UsageError ? 2 : 1;
  }
}

/** From the environment, or from the `.env` that the service reads too. */
function webhookSecret(): string | undefined {
  try {
    process.loadEnvFile('.env');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  return process.env['WEBHOOK_SECRET'];
}

async function simulate(options: CliOptions): Promise<number> {
  const { url, intervalMs, durationMs, seed, secret, signed } = options;
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
  const timer = durationMs === null ? undefined : setTimeout(stop, durationMs);
  const { isTTY } = process.stdout;
  try {
    const last = await runFleet({
      url,
      plan,
      intervalMs,
      secret,
      keyOf: signed ? (nodeId) => simulatedKey(seed, nodeId) : undefined,
      signal: end.signal,
      random: seededRandom(seed, 'lifecycle'),
      onProgress: isTTY ? rewriteInPlace() : logNowAndThen(),
    });
    process.stdout.write(`${isTTY ? '\n' : ''}${formatSummary(last).join('\n')}\n`);
    return durationMs !== null && last.pings === 0 ? 1 : 0;
  } finally {
    clearTimeout(timer);
  }
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
