import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { whyRefusedAddress } from './address.ts';
import { PublicPoster } from './delivery.ts';

const PRIVATE = 'The address leads into a private or reserved network, where nothing is sent.';

let requests = 0;
const receiver = createServer((request, response) => {
  requests++;
  if (request.url === '/moved') response.writeHead(302, { location: '/hook' }).end();
  else if (request.url === '/endless') response.writeHead(200).write('x'.repeat(1e6));
  else if (request.url === '/long-head') response.writeHead(200, { x: 'x'.repeat(10_000) }).end();
  else response.writeHead(request.url === '/hook' ? 204 : 404).end();
});
let origin = '';
beforeAll(async () => {
  await once(receiver.listen(0, '127.0.0.1'), 'listening');
  origin = `127.0.0.1:${(receiver.address() as AddressInfo).port}`;
});
afterAll(() => {
  receiver.closeAllConnections();
  receiver.close();
});

const post = (address: string, allowLoopback = false) =>
  new PublicPoster(allowLoopback).post(
    { address, headers: {}, body: '{}' },
    new AbortController().signal,
  );

describe('messages to addresses of strangers', () => {
  test.each([
    '127.0.0.1',
    '127.1.2.3',
    '0.0.0.0',
    '10.0.0.1',
    '172.16.0.1',
    '192.168.1.1',
    '100.64.0.1',
    '169.254.169.254',
    '192.0.0.1',
    '192.0.2.1',
    '198.18.0.1',
    '224.0.0.1',
    '240.0.0.1',
    '255.255.255.255',
    // Other spellings of 127.0.0.1, which URLs normalise.
    '2130706433',
    '0x7f.1',
    '[::1]',
    '[::]',
    '[::ffff:127.0.0.1]',
    '[::ffff:a9fe:a9fe]',
    '[64:ff9b::7f00:1]',
    '[64:ff9b:1::7f00:1]',
    '[2002:7f00:1::]',
    '[2001::1]',
    '[2001:db8::1]',
    '[fc00::1]',
    '[fd00:ec2::254]',
    '[fe80::1]',
    '[fec0::1]',
    '[ff02::1]',
    '[100::1]',
  ])('never go to %s', async (host) => {
    for (const scheme of ['http', 'https'])
      expect(await post(`${scheme}://${host}/hook`)).toEqual({ delivered: false, words: PRIVATE });
  });

  test('never go to a name that leads to such an address', async () => {
    const before = requests;
    expect(await post(`http://localhost:${origin.split(':')[1]}/hook`)).toEqual({
      delivered: false,
      words: PRIVATE,
    });
    expect(requests).toBe(before);
  });

  test('follow no redirect', async () => {
    const before = requests;
    const { delivered, words } = await post(`http://${origin}/moved`, true);
    expect([delivered, requests - before]).toEqual([false, 1]);
    expect(words).toContain('redirects (302)');
  });

  test('read the status of an answer, never its body, and no long head', async () => {
    expect(await post(`http://${origin}/endless`, true)).toMatchObject({ delivered: true });
    expect(await post(`http://${origin}/long-head`, true)).toEqual({
      delivered: false,
      words: 'The connection failed.',
    });
    expect(await post(`http://${origin}/other`, true)).toEqual({
      delivered: false,
      words: 'The receiver answered 404.',
    });
  });

  test('say why they failed without the address', async () => {
    const { words } = await post('https://a-secret.invalid/topic');
    expect(words).not.toContain('secret');
  });
});

test.each([
  ['https://ntfy.sh/topic', null],
  ['https://hooks.example.com:8443/a?b=c', null],
  ['http://ntfy.sh/topic', 'https://'],
  ['ftp://ntfy.sh/topic', 'https://'],
  ['https://user:password@ntfy.sh/topic', 'user or password'],
  ['https://ntfy.sh:22/topic', 'port 443'],
  ['https://203.0.113.7/topic', 'IP address'],
  ['https://[2001:db8::1]/topic', 'IP address'],
  ['https://3405803783/topic', 'IP address'],
  ['https://ip-203-0-113-7.example.com/topic', 'IP address'],
  ['https://ntfy.sh/', 'path'],
  ['https://ntfy.sh/topic#part', '#'],
  ['http://127.0.0.1/topic', 'https://'],
  ['javascript:alert(1)', 'https://'],
  ['ntfy.sh/topic', 'must be a URL'],
  [`https://ntfy.sh/${'x'.repeat(500)}`, 'at most 500'],
])('the address %s is refused: %s', (address, why) => {
  const refused = whyRefusedAddress(address, false);
  if (why === null) expect(refused).toBeNull();
  else expect(refused).toContain(why);
});
