import type { PingAnswer } from '@mesh-registry/client/index.ts';
import type { AgentStatus, ChannelStatus, OfferStatus } from './status.ts';

/** Sentences of the running agent. */

export const describePlace = ({ peer, isNew, nextPingMs }: PingAnswer): string =>
  `${isNew ? 'New on the map' : 'On the map'} as "${peer.label}" at ${peer.lat}, ${peer.lng} (${peer.status}). A heartbeat follows every ${Math.round(nextPingMs / 1000)} s.`;

export function describeListing({ name, listed, reason }: OfferStatus): string {
  if (listed) return `The offer ${name} is in the public directory.`;
  switch (reason) {
    case 'name_not_active':
      return `The offer ${name} is announced, and listed once its name is active. To register it: mesh-agent register ${name} --kinds compute`;
    case 'name_owned_by_another_node':
      return `The offer ${name} is announced but not listed: another node has that name. Choose another name.`;
    case 'registration_lacks_compute':
      return `The offer ${name} is announced but not listed: its name is registered without the kind "compute".`;
    default:
      return `The offer ${name} is announced but not listed (${reason ?? 'no reason given'}).`;
  }
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
