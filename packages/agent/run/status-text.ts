import type { Line, Style } from '../terminal/io.ts';
import { duration, since } from './clock.ts';
import type { Pin } from './pin-watch.ts';
import type { AgentStatus, ChannelStatus } from './status.ts';

const PIN: Record<Pin, string> = {
  unknown: "the service hasn't said whether it is pinned",
  none: 'not pinned yet',
  this_key: 'pinned',
  another_key: 'the node is pinned to another key',
  revoked: 'REVOKED by a reviewer: make a new one with mesh-agent identity rotate',
};

/** Beyond this the clock is worth a line, milliseconds. */
const SKEW_SHOWN_MS = 5000;

/**
 * What people read of a running agent: lines with their names.
 * @param now milliseconds since 1970
 */
export function agentLines(status: AgentStatus, style: Style, now: number): Line[] {
  const lines: Line[] = [];
  const { agent, service, node, heartbeats, announcements, clockSkewMs, stateFault } = status;
  const line = (name: string, value: string) => void lines.push([name, value]);
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
  return lines;
}

function channel(
  line: (name: string, value: string) => void,
  style: Style,
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

/** One line that a terminal shows while the agent runs. */
export function progressLine({ heartbeats, announcements }: AgentStatus, now = Date.now()): string {
  const parts: string[] = [];
  if (heartbeats) parts.push(channelText('heartbeat', heartbeats, now));
  if (announcements) parts.push(channelText('announcement', announcements, now));
  return parts.join(' · ');
}

function channelText(what: string, channel: ChannelStatus, now: number): string {
  const { lastAcceptedAt, nextAttemptAt, fault } = channel;
  const seconds = (time: string) =>
    Math.max(0, Math.round(Math.abs(Date.parse(time) - now) / 1000));
  const last = lastAcceptedAt ? `${what} ${seconds(lastAcceptedAt)} s ago` : `no ${what} yet`;
  const next = nextAttemptAt ? `next in ${seconds(nextAttemptAt)} s` : 'sending';
  return `${last}, ${fault ? `failing (${fault.kind}), ` : ''}${next}`;
}
