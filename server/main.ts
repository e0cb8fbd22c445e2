import type { ServerBuild } from '@remix-run/node';
import cluster from 'node:cluster';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { loadConfig, type Config } from './config.ts';
import { joinLink } from '#server/accounts/index.ts';
import { createLog } from './log.ts';
import { startServer } from './server.ts';
import { explainProblem } from '#server/http/startup-error.ts';

/** The process: the only file with side effects. */

const buildDirectory = dirname(fileURLToPath(import.meta.url));

async function main(): Promise<void> {
  const config = loadConfig();
  if (config.webConcurrency > 1 && cluster.isPrimary) return runWorkers(config);

  const log = createLog(config.logLevel);
  const entry = join(buildDirectory, 'server', 'index.js');
  const build = (await import(pathToFileURL(entry).href)) as ServerBuild;
  const startedAt = performance.now();
  const server = await startServer({
    config,
    log,
    build,
    clientDirectory: join(buildDirectory, 'client'),
  });
  const ms = Math.round(performance.now() - startedAt);
  // Before anything is printed or logged: who has read it may send a signal at once.
  let stoppingSince: number | undefined;
  const stop = (signal: string) => {
    if (stoppingSince !== undefined) {
      // One Ctrl-C may come twice, from the terminal and from npm. A later one means: now.
      if (performance.now() - stoppingSince > 1000) process.exit(1);
      return;
    }
    stoppingSince = performance.now();
    log.info({ signal }, 'stopping: requests in flight are answered, the last group is committed');
    server.stop().then(
      () => process.exit(0),
      (error: unknown) => {
        log.error({ err: error }, 'the stop was not clean');
        process.exit(1);
      },
    );
  };
  // A worker is told by its primary; Ctrl-C reaches both.
  process.on('SIGINT', () => (cluster.isWorker ? undefined : stop('SIGINT')));
  process.on('SIGTERM', () => stop('SIGTERM'));
  process.on('unhandledRejection', (error) => {
    log.error({ err: error }, 'an unhandled rejection: this is a mistake in the code');
  });
  log.info({ ms, pid: process.pid }, 'ready');

  // Of several processes one makes the link: the first, without which the start fails.
  const firstLink =
    !cluster.isWorker || cluster.worker?.id === 1
      ? await server.services.accounts.firstLink()
      : null;
  if (firstLink !== null)
    console.log(firstReviewer(joinLink(config.publicUrl ?? server.url, firstLink)));
  if (!cluster.isWorker) console.log(welcome(config, server.url));
}

/** WEB_CONCURRENCY: so many processes share the port. A worker that dies is replaced. */
function runWorkers(config: Config): void {
  let stopping = false;
  for (let n = 0; n < config.webConcurrency; n++) cluster.fork();
  cluster.on('exit', (worker, code) => {
    if (stopping) return;
    // One that fails before it listens would fail again: a bad configuration, no database.
    if (!worker.exitedAfterDisconnect && !ready.has(worker.id)) {
      stopping = true;
      process.exitCode = code || 1;
      for (const other of Object.values(cluster.workers ?? {})) other?.kill('SIGTERM');
      return;
    }
    cluster.fork();
  });
  const ready = new Set<number>();
  cluster.on('listening', (worker, address) => {
    if (ready.size === 0)
      console.log(welcome(config, `http://${address.address ?? '127.0.0.1'}:${address.port}`));
    ready.add(worker.id);
  });
  const stop = () => {
    stopping = true;
    for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill('SIGTERM');
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
}

/** What a newcomer needs next: the map, the first ping, and what is not configured. */
function welcome(config: Config, url: string): string {
  const missing = [
    ...(config.webhookSecrets.length === 0
      ? ['WEBHOOK_SECRET: anybody who reaches this address may send heartbeats']
      : []),
    ...(config.cashtagIsDefault
      ? [`CASHTAG: fees would go to ${config.cashtag}, which is nobody`]
      : []),
    ...(config.genesis.healthUrl === undefined
      ? ['GENESIS_HEALTH_URL: the bootstrap peer shows as unknown']
      : []),
  ];
  const secret =
    config.webhookSecrets.length > 0 ? " -H 'authorization: Bearer '$WEBHOOK_SECRET" : '';
  return [
    '',
    `  Map        ${config.publicUrl ?? url}/`,
    `  First ping curl -X POST ${url}/api/mesh/ping${secret} -H 'content-type: application/json' -d '{"nodeId":"my_node","lat":37.7,"lng":-122.4}'`,
    `  Database   ${config.databaseUrl === undefined ? `embedded, in ${config.dataDir}` : 'PostgreSQL'}`,
    ...(missing.length > 0
      ? ['', '  Not configured (see README):', ...missing.map((line) => `    ${line}`)]
      : []),
    '',
  ].join('\n');
}

/** On the console only, never in the log: whoever has it becomes an administrator. */
function firstReviewer(link: string): string {
  return [
    '',
    '  Nobody can review registrations yet. Open this once, within 24 hours, to be the first administrator:',
    `  ${link}`,
  ].join('\n');
}

if (!existsSync(join(buildDirectory, 'server', 'index.js')))
  throw new Error('The build is missing: run npm run build.');
main().catch((error: unknown) => {
  console.error(`Mesh Registry cannot start.\n${explainProblem(error)}`);
  process.exit(1);
});
