import type { PeerStatus, SessionStatus } from '@mesh-registry/peer/base/status.ts';

/** What a peer process says of itself, without one. */

export const NOW = Date.parse('2026-01-02T00:00:00Z');

/** @param letter tells it apart: of 52 characters, the last is this one */
export const aSession = (letter: string, fields: Partial<SessionStatus> = {}): SessionStatus => ({
  peer: `12D3KooW${'a'.repeat(43)}${letter}`,
  direction: 'outbound',
  since: '2026-01-01T22:30:00Z',
  agent: 'mesh-agent/0.1.0',
  rtt: { last: 20, min: 12.34, smoothed: 15, jitter: 2.5, count: 9 },
  root: 1,
  truth: 7,
  height: 1041,
  ...fields,
});

export const aStatus = (fields: Partial<PeerStatus> = {}): PeerStatus => ({
  peer: `12D3KooW${'s'.repeat(44)}`,
  network: 'mesh.example.org',
  startedAt: '2026-01-01T21:00:00Z',
  addresses: ['/ip4/192.0.2.1/tcp/9900'],
  genesis: { configured: 1, connected: 1 },
  sessions: [],
  known: 17,
  root: { version: 1, expires: '2026-12-01T00:00:00Z' },
  truth: { version: 7, issued: '2026-01-01T12:00:00Z', expires: '2026-01-05T00:00:00Z', bans: 2 },
  stale: false,
  log: { height: 1041, id: '8f2ab1'.padEnd(64, '0'), contradicted: false },
  refusals: { wrong_network: 3, busy: 1 },
  refusedBy: {},
  alarms: [],
  ...fields,
});
