import type { Config } from '../config/load.ts';
import { configFile, socketFile, stateDirectory } from '../config/paths.ts';
import { Agent } from '../run/agent.ts';
import { systemClock } from '../run/clock.ts';
import { readCredentials } from '../run/credentials.ts';
import { dryRun } from '../run/dry-run.ts';
import type { FaultKind } from '../run/fault.ts';
import { createJournal, isSystemdJournal, type Journal } from '../run/journal.ts';
import { openSockets } from '../run/sockets.ts';
import { progressLine } from '../run/status-text.ts';
import { CommandError, configurationError, EXIT } from '../base/exit.ts';
import { hasColours, print, type Io } from '../terminal/io.ts';
import { configIn, type CommonOptions } from './kit.ts';

interface RunOptions extends CommonOptions {
  once?: boolean;
  dryRun?: boolean;
}

/** `mesh-agent run` */
export async function run(io: Io, options: RunOptions): Promise<number> {
  const file = configFile(options.config, io.env);
  const config = configIn(file, options);
  requireWork(config);
  // A wrong key or secret stops the start; later it is a fault that may be mended.
  const { identity } = readCredentials(config, io.env);
  if (options.dryRun) {
    for (const request of await dryRun(config, io.env)) print(io, request, '');
    return EXIT.ok;
  }

  const journal = journalOf(io, options);
  const directory = stateDirectory(options.state, io.env);
  const agent = new Agent({
    config,
    env: io.env,
    stateDirectory: directory,
    journal,
    clock: systemClock,
    version: io.version,
    pid: io.pid,
  });
  const ending = new AbortController();
  if (options.once) {
    endBy(['SIGINT', 'SIGTERM'], ending);
    const outcomes = await agent.once(ending.signal);
    const fault = outcomes.find((outcome) => !outcome.ok)?.fault;
    return fault ? exitCodeOf(fault.kind) : EXIT.ok;
  }

  const sockets = await openSockets({
    directory,
    file: socketFile(options.state, io.env),
    program: 'agent',
    status: () => agent.status(),
  });
  try {
    const reload = () => {
      try {
        const next = configIn(file, options);
        requireWork(next);
        agent.reload(next);
        journal.info('reloaded', `The configuration was read again from ${file}.`);
      } catch (error) {
        if (!(error instanceof CommandError)) throw error;
        journal.error('reload_failed', `The configuration wasn't reloaded: ${error.message}`);
      }
    };
    const inTerminal = io.stdout.isTTY === true || io.stdin.isTTY === true;
    endBy(['SIGTERM', 'SIGINT'], ending, journal);
    // A terminal that closes says SIGHUP too.
    if (inTerminal) endBy(['SIGHUP'], ending, journal);
    else process.on('SIGHUP', reload);
    journal.info(
      'started',
      `mesh-agent ${io.version}: node ${config.node.id} at ${config.service.url}, key ${identity.publicKey}.`,
      { nodeId: config.node.id, service: config.service.url, key: identity.publicKey },
    );
    const progress = setInterval(() => journal.progress(progressLine(agent.status())), 1000);
    await agent.run(ending.signal);
    clearInterval(progress);
    journal.progress('');
    return EXIT.ok;
  } finally {
    sockets.close();
  }
}

function requireWork({ file, map, compute }: Config): void {
  if (map || compute.length > 0) return;
  throw configurationError(
    `${file} asks for nothing: add [map] with lat and lng to send heartbeats, or [[compute]] to announce an offer.`,
  );
}

/** What a long-running command writes to the standard output. */
export function journalOf(io: Io, { json = false }: CommonOptions): Journal {
  const kind = isSystemdJournal(io.env, 1)
    ? 'systemd'
    : io.stdout.isTTY === true && !json
      ? 'terminal'
      : 'plain';
  return createJournal(io.stdout, { json, kind, colours: hasColours(io), now: Date.now });
}

/** Aborts `ending` at any of some signals. @param journal tells the first one */
export function endBy(
  signals: readonly NodeJS.Signals[],
  ending: AbortController,
  journal?: Journal,
): void {
  for (const signal of signals)
    process.on(signal, () => {
      if (!ending.signal.aborted) journal?.info('stopping', `Stopping (${signal}).`);
      ending.abort();
    });
}

function exitCodeOf(kind: FaultKind): number {
  switch (kind) {
    case 'service_away':
    case 'dns':
    case 'network':
    case 'tls':
    case 'tls_expired':
      return EXIT.unreachable;
    case 'local':
      return EXIT.configuration;
    default:
      return EXIT.refused;
  }
}
