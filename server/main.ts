import type { ServerBuild } from '@remix-run/node';
import cluster from 'node:cluster';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { openEmbedded } from '#db/client.ts';
import { isAppError } from '#server/common/errors.schema.ts';
import { describeFirstLink, joinLink, type FirstLink } from '#server/accounts/index.ts';
import { loadConfig, type Config } from './config.ts';
import { createLog } from './log.ts';
import { startServer } from './server.ts';
import { explainStartupError } from './startup-error.ts';
import { runWorkers } from './workers.ts';

/** The process: the only file with side effects. */

const buildDirectory = dirname(fileURLToPath(import.meta.url));

async function main(): Promise<void> {
  const config = loadConfig();
  const log = createLog(config.logLevel);
  if (config.webConcurrency > 1 && cluster.isPrimary) {
    // No worker runs the database: each of them may end, and the others go on.
    const embedded =
      config.databaseUrl === undefined ? await openEmbedded(config, { log }) : undefined;
    return runWorkers(config.webConcurrency, {
      onReady: (url) => console.log(welcome(config, url)),
      onEnd: () => embedded?.stop(),
    });
  }

  const entry = join(buildDirectory, 'server', 'index.js');
  const build = (await import(pathToFileURL(entry).href)) as ServerBuild;
  const startedAt = performance.now();
  const server = await startServer({
    config,
    log,
    build,
    clientDirectory: join(buildDirectory, 'client'),
    embedded: { ownership: cluster.isWorker && config.webConcurrency > 1 ? 'join' : 'own' },
  });
  const ms = Math.round(performance.now() - startedAt);
  // Signals are heard before anything is printed: its reader may send one at once.
  let stoppingSince: number | undefined;
  const stop = (signal: string) => {
    if (stoppingSince !== undefined) {
      // One Ctrl-C can arrive twice, from the terminal and from npm. A later one stops at once.
      if (performance.now() - stoppingSince > 1000) process.exit(1);
      return;
    }
    stoppingSince = performance.now();
    log.info({ signal }, 'stopping: finishing requests in flight and committing accepted writes');
    // Nobody at a terminal waits for a load balancer.
    server.stop(signal === 'SIGTERM' ? config.drainMs : 0).then(
      () => process.exit(0),
      (error: unknown) => {
        log.error({ err: error }, 'shutdown failed');
        process.exit(1);
      },
    );
  };
  // Ctrl-C reaches the primary as well, which then stops its workers with SIGTERM.
  process.on('SIGINT', () => (cluster.isWorker ? undefined : stop('SIGINT')));
  process.on('SIGTERM', () => stop('SIGTERM'));
  process.on('unhandledRejection', (error) => {
    log.error({ err: error }, 'unhandled rejection');
  });
  log.info({ ms, pid: process.pid }, 'ready');

  // Only one of several processes prints the link: the first, without which startup fails.
  const firstLink =
    !cluster.isWorker || cluster.worker?.id === 1
      ? await server.services.accounts.firstLink().catch((error: unknown) => {
          // Nothing can be stored now: a later start makes the link. Everybody else is served.
          if (!isAppError(error) || error.code !== 'storage_full') throw error;
          log.warn('the disk is full: there is no link for the first administrator');
          return null;
        })
      : null;
  if (firstLink !== null)
    console.log(firstAdministrator(firstLink, config.publicUrl ?? server.url));
  if (!cluster.isWorker) console.log(welcome(config, server.url));
}

/** Printed once the service is ready: the map, a first heartbeat, the database, and what is not configured. */
function welcome(config: Config, url: string): string {
  const { webhookSecrets, cashtag, cashtagIsDefault, genesis, databaseUrl, dataDir } = config;
  const missing = [
    ...(webhookSecrets.length === 0
      ? ['WEBHOOK_SECRET      anyone who can reach this address can send heartbeats']
      : []),
    ...(cashtagIsDefault ? [`CASHTAG             payments go to the placeholder ${cashtag}`] : []),
    ...(genesis.healthUrl === undefined
      ? ['GENESIS_HEALTH_URL  the status of Genesis is shown as unknown']
      : []),
  ];
  const credential = webhookSecrets.length > 0 ? ' -H "authorization: Bearer $WEBHOOK_SECRET"' : '';
  return [
    '',
    '  Mesh Registry is ready.',
    '',
    `  Map        ${config.publicUrl ?? url}/`,
    `  Database   ${databaseUrl === undefined ? `embedded, in ${dataDir}` : 'PostgreSQL'}`,
    '',
    '  Send a first heartbeat:',
    `    curl -X POST ${url}/api/mesh/ping${credential} -H 'content-type: application/json' -d '{"nodeId":"my_node","lat":37.7,"lng":-122.4}'`,
    ...(missing.length > 0
      ? [
          '',
          '  Not configured (see docs/configuration.md):',
          ...missing.map((line) => `    ${line}`),
        ]
      : []),
    '',
  ].join('\n');
}

/** On the console only, never in the log: anyone who has the link becomes an administrator. */
function firstAdministrator(link: FirstLink, origin: string): string {
  const lines = describeFirstLink(link, (token) => joinLink(origin, token));
  return ['', ...lines.map((line) => `  ${line}`)].join('\n');
}

if (!existsSync(join(buildDirectory, 'server', 'index.js')))
  throw new Error('The build is missing: run npm run build.');
main().catch((error: unknown) => {
  console.error(`Mesh Registry cannot start.\n${explainStartupError(error)}`);
  process.exit(1);
});
