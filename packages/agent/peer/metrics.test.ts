import { expect, test } from 'vitest';
import { aSession, aStatus } from '../../../test/support/peer-status.ts';
import { metricsText } from './metrics.ts';

/** Every line is a comment, or a series with a number. */
const LINE =
  /^(# (HELP|TYPE) [a-z_]+ .+|[a-z_]+(\{[a-z]+="([^"\\\n]|\\[\\"n])*"(,[a-z]+="([^"\\\n]|\\[\\"n])*")*\})? [\d.e+-]+)$/;

const seriesOf = (text: string) => text.split('\n').filter((line) => line && !line.startsWith('#'));

test('are in the format of Prometheus, each with a help, a type and a number', async () => {
  const text = await metricsText(aStatus({ sessions: [aSession('a')] }), 1);
  expect(text.endsWith('\n')).toBe(true);
  // An empty line divides the metrics.
  const lines = text.split('\n').filter((line) => line !== '');
  for (const line of lines) expect(line).toMatch(LINE);
  const typed = new Set(lines.flatMap((line) => /^# TYPE (\S+)/.exec(line)?.[1] ?? []));
  for (const series of seriesOf(text)) expect(typed).toContain(/^[a-z_]+/.exec(series)?.[0]);
});

test('tell what the status tells', async () => {
  const sessions = [
    aSession('a'),
    aSession('b', { direction: 'inbound', rtt: null }),
    aSession('c', { rtt: { last: 1, min: 1, smoothed: 2, jitter: 3, count: 4 } }),
  ];
  const alarms = [{ kind: 'log_fork' as const, at: '2026-01-01T00:00:00Z', detail: 'two' }];
  const status = aStatus({ sessions, alarms, stale: true, refusedBy: { banned: 2 } });
  const lines = (await metricsText(status, 1)).split('\n');
  for (const line of [
    `mesh_peer_info{peer="12D3KooW${'s'.repeat(44)}",network="mesh.example.org",protocol="1"} 1`,
    'mesh_peer_sessions{direction="inbound"} 1',
    'mesh_peer_sessions{direction="outbound"} 2',
    'mesh_peer_known_peers 17',
    'mesh_peer_rtt_min_seconds{share="0"} 0.001',
    'mesh_peer_rtt_min_seconds{share="1"} 0.01234',
    'mesh_peer_truth_version 7',
    'mesh_peer_truth_expires_timestamp_seconds 1767571200',
    'mesh_peer_bans 2',
    'mesh_peer_stale 1',
    'mesh_peer_log_height 1041',
    'mesh_peer_alarms{kind="truth_fork"} 0',
    'mesh_peer_alarms{kind="log_fork"} 1',
    'mesh_peer_refusals_total{reason="wrong_network"} 3',
    'mesh_peer_refused_by{reason="banned"} 2',
  ])
    expect(lines).toContain(line);
});

test('without a truth, a session or a refusal are fewer', async () => {
  const text = await metricsText(aStatus({ truth: null, refusals: {} }), 1);
  expect(text).not.toMatch(/truth_version|rtt|refus/);
  expect(text).toContain('mesh_peer_sessions{direction="inbound"} 0\n');
});

test('are as many with a thousand peers as with one, and name none of them, whatever they say', async () => {
  const names = Array.from({ length: 1000 }, (_, index) => `peer ${index}`);
  const many = aStatus({
    sessions: names.map((peer) => aSession('x', { peer, agent: 'evil"} 1\nup 0' })),
    refusals: Object.fromEntries(names.map((name) => [`${name}\n`, 1])),
  });
  const one = await metricsText(aStatus({ sessions: [aSession('x')] }), 1);
  const thousand = await metricsText(many, 1);
  expect(seriesOf(thousand).length).toBeLessThanOrEqual(seriesOf(one).length);
  expect(thousand).not.toMatch(/peer \d|evil/);
  expect(thousand).toContain('mesh_peer_refusals_total{reason="other"} 1000\n');
  const reasons = Object.fromEntries(
    Array.from({ length: 100 }, (_, index) => [
      `${'a'.repeat(1 + (index % 26))}${'b'.repeat(1 + Math.floor(index / 26))}`,
      1,
    ]),
  );
  const text = await metricsText(aStatus({ refusals: reasons }), 1);
  const counted = text.match(/^mesh_peer_refusals/gm);
  expect(counted?.length).toBeLessThanOrEqual(33);
});
