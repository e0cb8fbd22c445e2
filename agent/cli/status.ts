import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { configFile, socketCandidates, stateDirectory } from '../config/paths.ts';
import { loadConfig } from '../config/load.ts';
import { duration } from '../run/clock.ts';
import type { Pin } from '../run/pin-watch.ts';
import { readState } from '../run/state-file.ts';
import type { AgentStatus, ChannelStatus } from '../run/status.ts';
import { CommandError, EXIT } from './exit.ts';
import { print, printJson, styler, type Io } from './io.ts';

export interface StatusOptions {
  config?: string;
  state?: string;
  json?: boolean;
}

/** `mesh-agent status` */
export async function status(io: Io, options: StatusOptions): Promise<number> {
  const running = await askAgent(socketCandidates(options.state, io.env));
  if (running === null) return notRunning(io, options);
  if (options.json) printJson(io, { running: true, ...running });
  else printStatus(io, running);
  return isWell(running) ? EXIT.ok : EXIT.failed;
}

/** What the running agent says of itself; null: none is running. @throws CommandError if it may not be asked */
export async function askAgent(sockets: readonly string[]): Promise<AgentStatus | null> {
  for (const file of new Set(sockets)) {
    const answer = await ask(file);
    if (answer !== null) return JSON.parse(answer) as AgentStatus;
  }
  return null;
}

const TIMEOUT_MS = 2000;

async function ask(file: string): Promise<string | null> {
  const socket = connect(file);
  socket.setTimeout(TIMEOUT_MS, () => socket.destroy(new Error('timeout')));
  try {
    return await text(socket);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ECONNREFUSED' || code === 'ENOTDIR') return null;
    throw new CommandError(
      code === 'EACCES'
        ? `An agent of another user runs here (${file}). Ask as that user or as root.`
        : `The agent at ${file} does not answer: ${message}.`,
    );
  }
}

function notRunning(io: Io, options: StatusOptions): number {
  const lastAcceptedAt = lastAccepted(io, options);
  if (options.json) printJson(io, { running: false, lastAcceptedAt });
  else {
    const last = lastAcceptedAt
      ? ` Its last accepted heartbeat was ${duration(Date.now() - Date.parse(lastAcceptedAt))} ago.`
      : '';
    print(io, `No agent is running.${last} Start it with: mesh-agent run`);
  }
  return EXIT.running;
}

function lastAccepted(io: Io, options: StatusOptions): string | null {
  try {
    const { service, node } = loadConfig(configFile(options.config, io.env));
    const directory = stateDirectory(options.state, io.env);
    return readState(directory, service.url, node.id).lastAcceptedAt;
  } catch (error) {
    if (error instanceof CommandError) return null;
    throw error;
  }
}

/** Whether everything that is configured works at this moment. */
const isWell = ({ heartbeats, announcements, stateFault }: AgentStatus): boolean =>
  stateFault === null &&
  [heartbeats, announcements].every(
    (channel) => channel === null || (channel.fresh && channel.fault === null),
  );

const PIN: Record<Pin, string> = {
  unknown: 'the service has not said whether it is pinned',
  none: 'not pinned yet',
  this_key: 'pinned',
  another_key: 'the node is pinned to another key',
};

/** Beyond this the clock is worth a line, milliseconds. */
const SKEW_SHOWN_MS = 5000;

function printStatus(io: Io, status: AgentStatus): void {
  const style = styler(io);
  const now = Date.now();
  const { agent, service, node, heartbeats, announcements, clockSkewMs, stateFault } = status;
  const line = (name: string, value: string) => print(io, `${name.padEnd(14)} ${value}`);
  line(
    'Agent',
    `${agent.version}, process ${agent.pid}, running for ${since(agent.startedAt, now)}`,
  );
  line('Configuration', agent.configFile);
  line('Service', service);
  line('Node', node.id);
  if (node.key) line('Key', `${node.key} (${PIN[node.pin]})`);
  if (!heartbeats) line('Map', 'not configured: there is no section [map]');
  else {
    const { published, fresh } = heartbeats;
    const place =
      published &&
      `as "${published.label}" at ${published.lat}, ${published.lng} (${published.status})`;
    line('Map', fresh ? style('green', `present ${place}`) : style('yellow', 'not present'));
    channel(line, style, 'Heartbeats', heartbeats, now);
  }
  if (announcements) {
    channel(line, style, 'Announcements', announcements, now);
    for (const { name, freeSlots, listed, reason } of announcements.offers)
      line(`  ${name}`, `${freeSlots} free, ${listed ? 'listed' : `not listed (${reason})`}`);
  }
  if (clockSkewMs !== null && Math.abs(clockSkewMs) > SKEW_SHOWN_MS)
    line(
      'Clock',
      `${duration(Math.abs(clockSkewMs))} ${clockSkewMs > 0 ? 'ahead of' : 'behind'} the service's`,
    );
  if (stateFault) line('Storage', style('yellow', stateFault.message));
}

const since = (time: string, now: number) => duration(now - Date.parse(time));

function channel(
  line: (name: string, value: string) => void,
  style: ReturnType<typeof styler>,
  name: string,
  { accepted, failed, lastAcceptedAt, nextAttemptAt, fault }: ChannelStatus,
  now: number,
): void {
  const last = lastAcceptedAt
    ? `last accepted ${since(lastAcceptedAt, now)} ago`
    : 'none accepted yet';
  const next = nextAttemptAt
    ? `next in ${duration(Date.parse(nextAttemptAt) - now)}`
    : 'sending now';
  line(name, `${last}, ${next} (${accepted} accepted, ${failed} failed)`);
  if (fault) line('', style('yellow', `For ${since(fault.since, now)}: ${fault.message}`));
}
