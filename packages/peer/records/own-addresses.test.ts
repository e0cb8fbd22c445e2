import { expect, test } from 'vitest';
import { ownAddresses } from './own-addresses.ts';

const PUBLIC = '/ip4/203.0.113.7/tcp/9900';
const HOME = '/ip4/192.168.1.7/tcp/9900';
const OVERLAY = '/ip6/fd00::7/tcp/9900';
const SELF = ['/ip4/127.0.0.1/tcp/9900', '/ip6/::1/tcp/9900'];

test.each([
  ['what is announced', { announced: [HOME], listening: [PUBLIC] }, [HOME]],
  ['else public addresses alone', { listening: [...SELF, HOME, PUBLIC] }, [PUBLIC]],
  ['else none', { listening: [...SELF, HOME, OVERLAY] }, []],
])('others are told %s', (_, { announced, listening }: Given, told) => {
  expect(ownAddresses(announced, listening, false)).toEqual(told);
});

test.each([
  ['what is announced', { announced: [PUBLIC], listening: [HOME] }, [PUBLIC]],
  ['else public addresses alone', { listening: [...SELF, HOME, PUBLIC] }, [PUBLIC]],
  ['else private ones', { listening: [...SELF, HOME, OVERLAY] }, [HOME, OVERLAY]],
  ['else those of the machine', { listening: SELF }, SELF],
])('in a private network others are told %s', (_, { announced, listening }: Given, told) => {
  expect(ownAddresses(announced, listening, true)).toEqual(told);
});

test('others are told of no more addresses than a record may have', () => {
  const many = Array.from({ length: 20 }, (_, n) => `/ip4/203.0.113.${n + 1}/tcp/9900`);
  expect(ownAddresses(undefined, many, false)).toEqual(many.slice(0, 8));
});

interface Given {
  announced?: string[];
  listening: string[];
}
