import type { ServerBuild } from '@remix-run/node';
import { createServer } from 'vite';
import { loadConfig } from '#server/config.ts';
import { describeFirstLink, joinLink } from '#server/accounts/index.ts';
import { createLog } from '#server/log.ts';
import { startServer } from '#server/server.ts';

/**
 * `npm run dev`: the same server, with pages and resource routes through Vite, so that a saved file is
 * what the next request gets. Changes below server/ and db/ restart it (tsx watch).
 */
const config = loadConfig();
const vite = await createServer({ server: { middlewareMode: true } });
const server = await startServer({
  config,
  log: createLog(config.logLevel),
  build: () => vite.ssrLoadModule('virtual:remix/server-build') as unknown as Promise<ServerBuild>,
  clientDirectory: null,
  before: (next) => (request, response) =>
    vite.middlewares(request, response, () => next(request, response)),
});
console.log(`\n  Map  ${server.url}/\n`);
const firstLink = await server.services.accounts.firstLink();
if (firstLink !== null)
  console.log(
    describeFirstLink(firstLink, (token) => joinLink(server.url, token))
      .map((line) => `  ${line}\n`)
      .join(''),
  );

const stop = () =>
  void Promise.all([server.stop(), vite.close()]).then(
    () => process.exit(0),
    () => process.exit(1),
  );
process.once('SIGINT', stop);
process.once('SIGTERM', stop);
