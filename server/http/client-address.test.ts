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

test('a port or brackets in X-Forwarded-For do not make another client', () => {
  const hash = createClientHash();
  const client = (forwarded: string) => hash(clientAddress('192.0.2.1', forwarded, 1));
  for (const spelling of [
    '203.0.113.7:1234',
    ' 203.0.113.7:1235 ',
    '::ffff:203.0.113.7',
    '[::FFFF:cb00:7107]:1',
  ])
    expect(client(spelling), spelling).toBe(client('203.0.113.7'));
  for (const spelling of [
    '[2001:db8::1]',
    '[2001:db8::1]:443',
    '[2001:db8::1]:',
    '2001:DB8:0:0::2',
  ])
    expect(client(spelling), spelling).toBe(client('2001:db8::1'));
  expect(client('203.0.113.8:1234')).not.toBe(client('203.0.113.7:1234'));
  expect(client('[2001:db8:0:1::1]:443')).not.toBe(client('[2001:db8::1]:443'));
});

test('an entry of X-Forwarded-For that is not an address counts as the proxy that wrote it', () => {
  for (const entry of ['unknown', '', '203.0.113.7.8:1', '[203.0.113.7', 'x:1', '203.0.113.007']) {
    expect(clientAddress('192.0.2.1', `198.51.100.9, ${entry}`, 1), entry).toBe('192.0.2.1');
    expect(clientAddress('192.0.2.1', `${entry}, 198.51.100.2:80`, 2), entry).toBe('198.51.100.2');
  }
});
