import { expect, test } from 'vitest';
import { createClientHash } from './guard.ts';

test('all addresses of an IPv6 network of 64 bits are one client, others and IPv4 ones are not', () => {
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
