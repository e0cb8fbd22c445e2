import { expect, test } from 'vitest';
import { clientAddress, createClientHash } from './client-address.ts';

test('all addresses of one IPv6 /64 network are one client, other networks and IPv4 addresses are not', () => {
  const hash = createClientHash();
  const one = hash('2001:db8:1:2:aaaa::1');
  expect(hash('2001:db8:1:2::ffff')).toBe(one);
  expect(hash('2001:0db8:0001:0002:0:0:0:9%eth0')).toBe(one);
  expect(hash('2001:db8:1:3::1')).not.toBe(one);
  expect(hash('::1')).not.toBe(hash('1::1'));
  expect(hash('::ffff:192.0.2.1')).not.toBe(hash('::ffff:192.0.2.2'));
  expect(hash('192.0.2.1')).not.toBe(hash('192.0.2.2'));
  expect(hash('unknown')).toBe(hash('unknown'));
});

test('X-Forwarded-For counts only as far as proxies are trusted', () => {
  const forwarded = '203.0.113.9, 198.51.100.2';
  expect(clientAddress('192.0.2.1', forwarded, 0)).toBe('192.0.2.1');
  expect(clientAddress('192.0.2.1', forwarded, 1)).toBe('198.51.100.2');
  expect(clientAddress('192.0.2.1', forwarded, 2)).toBe('203.0.113.9');
  expect(clientAddress('192.0.2.1', forwarded, 9)).toBe('203.0.113.9');
  expect(clientAddress('192.0.2.1', null, 1)).toBe('192.0.2.1');
});
