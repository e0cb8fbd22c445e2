import { afterEach, expect, test, vi } from 'vitest';
import { LIMITS } from '../base/limits.ts';
import { resolveAddresses, type Lookup } from './resolve.ts';

const PEER = '12D3KooWHnrNc5zXqVfSAqYvtgKb36eYpcBHwJhyp1MNTG5dbbkf';

const leadsTo =
  (...found: string[]): Lookup =>
  () =>
    Promise.resolve(found.map((address) => ({ address })));

afterEach(() => {
  vi.useRealTimers();
});

test('names become IP addresses, with the same port and peer id', async () => {
  const lookup = leadsTo('203.0.113.9', '2001:db8::1');
  expect(
    await resolveAddresses([`/dns/a.example/tcp/9900/p2p/${PEER}`, '/dns/a.example/tcp/1'], lookup),
  ).toEqual([
    `/ip4/203.0.113.9/tcp/9900/p2p/${PEER}`,
    `/ip6/2001:db8::1/tcp/9900/p2p/${PEER}`,
    '/ip4/203.0.113.9/tcp/1',
    '/ip6/2001:db8::1/tcp/1',
  ]);
  // As long as an address may be, and then a peer id.
  const long = `/dns4/${'long.'.repeat(20)}example/tcp/9900/p2p/${PEER}`;
  expect(await resolveAddresses([long], lookup)).toHaveLength(2);
});

test('IP addresses stay as they are, and nobody is asked about them', async () => {
  const lookup = vi.fn(leadsTo('203.0.113.9'));
  const addresses = ['/ip4/192.0.2.1/tcp/1', `/ip6/2001:db8::1/tcp/2/p2p/${PEER}`];
  expect(await resolveAddresses([...addresses, '/unix/run/docker.sock'], lookup)).toEqual(
    addresses,
  );
  expect(lookup).not.toHaveBeenCalled();
});

test('the kind of the name says which addresses are looked up', async () => {
  const lookup = vi.fn(leadsTo());
  await resolveAddresses(
    ['dns', 'dns4', 'dns6'].map((kind) => `/${kind}/a.example/tcp/1`),
    lookup,
  );
  expect(lookup.mock.calls.map(([name, { family }]) => [name, family])).toEqual([
    ['a.example', 0],
    ['a.example', 4],
    ['a.example', 6],
  ]);
});

test('addresses at which nobody listens are left out, and there are four of a name and four names', async () => {
  const useless = ['0.0.0.0', '224.0.0.1', '::', '::ffff:127.0.0.1', 'fe80::1%eth0'];
  expect(await resolveAddresses(['/dns/a.example/tcp/1'], leadsTo(...useless))).toEqual([]);
  const many = vi.fn(leadsTo(...[1, 2, 3, 4, 5, 6].map((n) => `192.0.2.${n}`)));
  expect(await resolveAddresses(['/dns/a.example/tcp/1'], many)).toHaveLength(4);
  many.mockClear();
  await resolveAddresses(
    Array.from({ length: 8 }, (_, n) => `/dns/a${n}.example/tcp/1`),
    many,
  );
  expect(many).toHaveBeenCalledTimes(4);
});

test('a name that nobody knows, or that takes too long, gives nothing and holds up no other', async () => {
  vi.useFakeTimers();
  const lookup: Lookup = (name) => {
    if (name === 'slow.example') return new Promise(() => {});
    if (name === 'unknown.example') return Promise.reject(new Error('ENOTFOUND'));
    return Promise.resolve([{ address: '192.0.2.1' }]);
  };
  const names = ['slow.example', 'unknown.example', 'good.example'];
  const resolved = resolveAddresses(
    names.map((name) => `/dns4/${name}/tcp/1`),
    lookup,
  );
  await vi.advanceTimersByTimeAsync(LIMITS.helloMessageMs);
  expect(await resolved).toEqual(['/ip4/192.0.2.1/tcp/1']);
});
