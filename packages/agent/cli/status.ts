import { socketCandidates, stateDirectory } from '../config/paths.ts';
import type { Config } from '../config/load.ts';
import { sessionTable, summaryLines, isStatus, type PeerAnswer } from '../peer/status-text.ts';
import { requestStatus } from '../run/sockets.ts';
import { since } from '../run/clock.ts';
import { readState } from '../run/state-keeper.ts';
import { agentLines } from '../run/status-text.ts';
import type { AgentStatus } from '../run/status.ts';
import { CommandError, EXIT } from '../base/exit.ts';
import { print, printJson, styler, type Io, type Line } from '../terminal/io.ts';
import { configOf, type CommonOptions } from './kit.ts';

/** `mesh-agent status` */
export async function status(io: Io, options: CommonOptions): Promise<number> {
  const config = readConfig(io, options);
  const wanted = { agent: config !== null && asksForAgent(config), peer: Boolean(config?.peer) };
  const agent = await answer(askAgent(io, options), wanted.agent || !wanted.peer);
  const peer = await answer(askPeer(io, options), wanted.peer);
  if (options.json) {
    const ofAgent = agent
      ? { running: true, ...agent }
      : { running: false, lastAcceptedAt: lastAccepted(io, options, config) };
    printJson(io, { ...ofAgent, peerProcess: peer });
  } else {
    if (agent) printAgent(io, agent);
    else if (wanted.agent || (!peer && !wanted.peer))
      printNoAgent(io, lastAccepted(io, options, config));
    if (peer) printPeer(io, peer, agent !== null || wanted.agent);
    else if (wanted.peer) print(io, 'No peer process is running. Start it with: mesh-agent peer');
  }
  if ((!agent && !peer) || (wanted.agent && !agent) || (wanted.peer && !peer)) return EXIT.running;
  return (!agent || isAgentWell(agent)) && (!peer || isPeerWell(peer)) ? EXIT.ok : EXIT.failed;
}

/** A process that may not be asked is an error only if the configuration wants one: else it is another user's. */
async function answer<T>(asked: Promise<T>, isWanted: boolean): Promise<T | null> {
  try {
    return await asked;
  } catch (error) {
    if (isWanted || !(error instanceof CommandError)) throw error;
    return null;
  }
}

/** What the running agent says of itself; null: none is running. @throws CommandError if it may not be asked */
export const askAgent = async (io: Io, { state }: CommonOptions): Promise<AgentStatus | null> =>
  (await requestStatus(socketCandidates(state, io.env), 'agent')) as AgentStatus | null;

/** The same of the peer process. */
export async function askPeer(io: Io, { state }: CommonOptions): Promise<PeerAnswer | null> {
  const sockets = socketCandidates(state, io.env, 'peer.sock');
  return (await requestStatus(sockets, 'peer process')) as PeerAnswer | null;
}

/** Whether there is something to do for `mesh-agent run`. */
export const asksForAgent = ({ map, compute }: Config): boolean =>
  map !== undefined || compute.length > 0;

function readConfig(io: Io, options: CommonOptions): Config | null {
  try {
    return configOf(io, options);
  } catch (error) {
    if (error instanceof CommandError) return null;
    throw error;
  }
}

function lastAccepted(io: Io, { state }: CommonOptions, config: Config | null): string | null {
  if (!config) return null;
  const { service, node } = config;
  return readState(stateDirectory(state, io.env), service.url, node.id).lastAcceptedAt;
}

/** Whether everything that is configured works at this moment. */
const isAgentWell = ({ heartbeats, announcements, stateFault }: AgentStatus): boolean =>
  stateFault === null &&
  [heartbeats, announcements].every(
    (channel) => channel === null || (channel.fresh && channel.fault === null),
  );

const isPeerWell = (peer: PeerAnswer): boolean =>
  isStatus(peer) ? !peer.stale && peer.alarms.length === 0 : peer.fault === null;

function printLines(io: Io, lines: readonly Line[]): void {
  print(io, ...lines.map(([name, text]) => `${name.padEnd(14)} ${text}`));
}

const printAgent = (io: Io, agent: AgentStatus): void =>
  printLines(io, agentLines(agent, styler(io), Date.now()));

function printNoAgent(io: Io, lastAcceptedAt: string | null): void {
  const last = lastAcceptedAt
    ? ` Its last accepted heartbeat was ${since(lastAcceptedAt, Date.now())} ago.`
    : '';
  print(io, `No agent is running.${last} Start it with: mesh-agent run`);
}

/** Columns when the output is no terminal. */
const WIDTH = 100;

/** @param below true if something is printed above it */
function printPeer(io: Io, peer: PeerAnswer, below: boolean): void {
  if (below) print(io, '');
  if (!isStatus(peer))
    return print(io, `The peer process is starting.${peer.fault === null ? '' : ` ${peer.fault}`}`);
  const now = Date.now();
  printLines(io, summaryLines(peer, styler(io), now));
  if (peer.sessions.length > 0)
    print(io, '', ...sessionTable(peer.sessions, io.stdout.columns ?? WIDTH, now));
}
