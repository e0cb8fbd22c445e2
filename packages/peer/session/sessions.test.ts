import type { Connection } from '@libp2p/interface';
import { describe, expect, it } from 'vitest';
import * as stub from '../../../test/support/sessions.ts';
import { LIMITS } from '../base/limits.ts';
import { placesOf, Sessions } from './sessions.ts';

const aSession = (peer: string, group: string, direction?: Connection['direction']) =>
  stub.aSession(peer, { group, ...(direction && { direction }) }).session;

function withSessions(residents: number, visitors = 0) {
  const ended: string[] = [];
  const sessions = new Sessions('m', { residents, visitors, visitMs: 20 }, ({ peer }, reason) =>
    ended.push(`${peer} ${reason}`),
  );
  return { sessions, ended };
}

describe('places for those who come in', () => {
  it('a crowd from one network gives way to others, its youngest first, and never takes the last place of others', () => {
    const { sessions, ended } = withSessions(6);
    sessions.add(aSession('friend', '198.51.0.0/16'));
    for (let n = 1; n <= 5; n++) sessions.add(aSession(`crowd${n}`, '203.0.0.0/16'));
    expect(sessions.placeFor('203.0.0.0/16')).toBeNull();
    expect(sessions.placeFor('192.0.0.0/16')).toBe('resident');
    expect(ended).toEqual(['crowd5 made room']);
    sessions.add(aSession('other', '192.0.0.0/16'));
    expect(sessions.placeFor('198.51.0.0/16')).toBe('resident');
    sessions.add(aSession('friend2', '198.51.0.0/16'));
    // Three, two, one: a second one of the smallest group would make it no fairer.
    expect(sessions.placeFor('192.0.0.0/16')).toBe('resident');
    sessions.add(aSession('other2', '192.0.0.0/16'));
    for (const group of ['203.0.0.0/16', '198.51.0.0/16', '192.0.0.0/16'])
      expect(sessions.placeFor(group)).toBeNull();
    expect(ended).toEqual(['crowd5 made room', 'crowd4 made room', 'crowd3 made room']);
  });

  it('are not taken by sessions that this peer has begun', () => {
    const { sessions, ended } = withSessions(1);
    for (let n = 1; n <= 3; n++) sessions.add(aSession(`out${n}`, 'g', 'outbound'));
    expect(sessions.placeFor('g')).toBe('resident');
    sessions.add(aSession('in', 'g'));
    expect(sessions.placeFor('h')).toBeNull();
    expect(ended).toEqual([]);
  });
});

describe('visitors', () => {
  it.each([
    [-4, 0, 0],
    [7, 7, 0],
    [120, 105, 15],
    [992, 976, LIMITS.visitors],
  ])('of %i places %i are for residents, the others for them', (inbound, residents, visitors) => {
    expect(placesOf(inbound, 1)).toEqual({ residents, visitors, visitMs: 1 });
  });

  /** A peer whose places for residents are taken. */
  function full(visitors: number) {
    const { sessions, ended } = withSessions(2, visitors);
    sessions.add(aSession('resident1', '1'));
    sessions.add(aSession('resident2', '2'));
    return { sessions, ended };
  }
  const visit = (sessions: Sessions, peer: string, group: string) => {
    expect(sessions.placeFor(group)).toBe('visitor');
    const session = aSession(peer, group);
    sessions.add(session, 'visitor');
    return session;
  };

  it('come in while all other places are taken, two of a network and as many as there is room for', () => {
    const { sessions } = full(3);
    visit(sessions, 'a', '3');
    visit(sessions, 'b', '3');
    expect(sessions.placeFor('3')).toBeNull();
    visit(sessions, 'c', '4');
    expect(sessions.placeFor('5')).toBeNull();
    // They take no place of those who stay, and are no crowd that gives way.
    expect(sessions.size).toBe(5);
  });

  it('have to go when their time is over, also if they came twice; whoever finds room stays', async () => {
    const { sessions, ended } = full(2);
    visit(sessions, 'a', '3');
    const again = aSession('a', '3');
    sessions.add(again);
    expect(again.visitUntil).not.toBeNull();
    await expect.poll(() => ended).toEqual(['a duplicate', 'a visit is over']);
    const lucky = visit(sessions, 'b', '3');
    const leaving = sessions.get('resident1');
    if (leaving) sessions.end(leaving, 'lost');
    await expect.poll(() => lucky.visitUntil).toBeNull();
    expect(sessions.get('b')).toBe(lucky);
  });
});

describe('two connections with one peer', () => {
  it.each([
    ['a', 'inbound'],
    ['z', 'outbound'],
  ] as const)('dialled by both: that of the smaller id stays (%s)', (peer, kept) => {
    for (const order of [
      ['inbound', 'outbound'],
      ['outbound', 'inbound'],
    ] as const) {
      const { sessions } = withSessions(8);
      for (const direction of order) sessions.add(aSession(peer, 'g', direction));
      expect(sessions.size).toBe(1);
      expect(sessions.get(peer)?.connection.direction).toBe(kept);
    }
  });

  it('dialled by one side: the newer stays', () => {
    const { sessions, ended } = withSessions(8);
    const [older, newer] = [aSession('a', 'g'), aSession('a', 'g')];
    expect(sessions.add(older)).toBe(true);
    expect(sessions.add(newer)).toBe(true);
    expect(sessions.get('a')).toBe(newer);
    expect(older.ended.aborted).toBe(true);
    expect(ended).toEqual(['a duplicate']);
  });
});

it('records that were asked for are no flood, whatever else the peer passes on', () => {
  const session = aSession('a', 'g');
  expect(session.takeRecords(LIMITS.recordsBurst)).toBe(true);
  expect(session.takeRecords(LIMITS.recordsPerMessage)).toBe(false);
  session.askForPeers();
  expect(session.takeRecords(LIMITS.recordsPerMessage)).toBe(true);
  expect(session.takeRecords(LIMITS.recordsPerMessage)).toBe(false);
});
