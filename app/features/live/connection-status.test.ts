import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import type { Connection } from '#app/lib/polling.ts';
import { ConnectionStatus } from './connection-status.tsx';

const NOON = '2026-07-17T12:00:00.000Z';

const html = (connection: Connection) =>
  renderToStaticMarkup(createElement(ConnectionStatus, { connection, renderedAt: NOON }));
const text = (connection: Connection) => html(connection).replace(/<[^>]*>/g, '');

test.each([
  ['starts as of when it was rendered', { state: 'starting' }, 'As of 12:00:00 UTC'],
  ['is live', { state: 'live' }, 'Live'],
  ['polls every 10 s', { state: 'polling' }, 'Updated every 10 s'],
  ['polls at another pace', { state: 'polling', everyMs: 5000 }, 'Updated every 5 s'],
  [
    'lost its connection',
    { state: 'stale', asOf: Date.parse(NOON) - 1000 },
    'Reconnecting, data from 11:59:59 UTC',
  ],
  [
    'is signed out',
    { state: 'stale', asOf: Date.parse(NOON), signedOut: true },
    'Signed out, data from 12:00:00 UTC',
  ],
] as const)('a page that %s says so, and how old its data is', (_, connection, says) =>
  expect(text(connection)).toBe(says),
);

test('screen readers hear of a change', () => {
  expect(html({ state: 'live' })).toMatch(/^<p [^>]*role="status"/);
});
