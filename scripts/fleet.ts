import { parseOptions, HELP, UsageError, type CliOptions } from './fleet/options.ts';
import { planFleet } from './fleet/plan.ts';
import { formatProgress, formatSummary, type FleetProgress } from './fleet/progress.ts';
import { seededRandom } from './fleet/random.ts';
import { FleetUnauthorized, runFleet } from './fleet/run.ts';

/** Without a terminal, a line this often (seconds). */
const LOG_EVERY = 10;

process.exitCode = await main();

async function main(): Promise<number> {
  try {
    const options = parseOptions(process.argv.slice(2), webhookSecret());
    if (options) return await fleet(options);
    process.stdout.write(HELP);
    return 0;
  } catch (error) {
    if (!(error instanceof UsageError || error instanceof FleetUnauthorized)) throw error;
    process.stderr.write(`fleet: ${error.message}\n`);
    return error instanceof UsageError ? 2 : 1;
  }
}

/** From the environment, or from the same `.env` that the service reads. */
function webhookSecret(): string | undefined {
  try {
    process.loadEnvFile('.env');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  return process.env['WEBHOOK_SECRET'];
}

async function fleet(options: CliOptions): Promise<number> {
  const { url, intervalMs, durationMs, seed, secret } = options;
  const plan = planFleet(options);
  const hosts = plan.nodes.filter(({ computes }) => computes.length > 0).length;
  console.log(
    `${options.nodes} nodes, ${options.computes} computes on ${hosts} hosts, a heartbeat every ` +
      `${intervalMs / 1000} s to ${url} (seed ${seed}); Ctrl-C ends it`,
  );
  const end = new AbortController();
  const stop = () => end.abort();
  process.on('SIGINT', stop).on('SIGTERM', stop);
  // Whoever read our lines is gone (`| head`).
  process.stdout.on('error', stop);
  const timer = durationMs === null ? undefined : setTimeout(stop, durationMs);
  const show = process.stdout.isTTY ? rewriteInPlace() : logNowAndThen();
  try {
    const random = seededRandom(`${seed}/life`);
    const last = await runFleet({
      url,
      plan,
      intervalMs,
      secret,
      signal: end.signal,
      random,
      onProgress: show,
    });
    process.stdout.write(`${process.stdout.isTTY ? '\n' : ''}${formatSummary(last).join('\n')}\n`);
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
