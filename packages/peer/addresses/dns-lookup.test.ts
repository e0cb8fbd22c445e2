import { createSocket } from 'node:dgram';
import { lookup as systemLookup } from 'node:dns/promises';
import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { expect, onTestFinished, test } from 'vitest';
import { dnsLookup, lookupsFor } from './dns-lookup.ts';
import type { Lookup } from './resolve.ts';

const A = 1;
const AAAA = 28;

/** A name server on this machine: `good.` has one address of each kind, `four.` one of IPv4, `slow.` is never answered. */
async function nameServer() {
  const socket = createSocket('udp4');
  onTestFinished(() => void socket.close());
  const asked: string[] = [];
  socket.on('message', (query, { port, address }) => {
    const label = query.toString('ascii', 13, 13 + query.readUInt8(12));
    const end = query.indexOf(0, 12) + 5;
    const type = query.readUInt16BE(end - 4);
    asked.push(`${label} ${type === A ? 'A' : 'AAAA'}`);
    if (label.startsWith('slow')) return;
    const data =
      type === AAAA
        ? Buffer.from('20010db8'.padEnd(31, '0') + '1', 'hex')
        : Buffer.from([192, 0, 2, 1]);
    const isThere = label === 'good' || (label === 'four' && type === A);
    const answer = Buffer.concat([
      query.subarray(0, end),
      ...(isThere ? [record(type, data)] : []),
    ]);
    answer.writeUInt16BE(0x8180, 2);
    answer.writeUInt16BE(isThere ? 1 : 0, 6);
    answer.writeUInt32BE(0, 8);
    socket.send(answer, port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return { servers: [`127.0.0.1:${socket.address().port}`], asked };
}

/** Of the name in the question. */
function record(type: number, data: Buffer): Buffer {
  const head = Buffer.alloc(12);
  head.writeUInt16BE(0xc00c, 0);
  head.writeUInt16BE(type, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt32BE(60, 6);
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
}

const find = async (lookup: Lookup, name: string, family: 0 | 4 | 6 = 0) =>
  (await lookup(name, { all: true, family, order: 'verbatim' })).map(({ address }) => address);

test('name servers are asked for the addresses that the kind of the name says', async () => {
  const { servers, asked } = await nameServer();
  const lookup = dnsLookup({ servers });
  expect(await find(lookup, 'good.example')).toEqual(['192.0.2.1', '2001:db8::1']);
  expect(await find(lookup, 'good.example', 4)).toEqual(['192.0.2.1']);
  expect(await find(lookup, 'good.example', 6)).toEqual(['2001:db8::1']);
  expect(await find(lookup, 'four.example')).toEqual(['192.0.2.1']);
  expect(await find(lookup, 'none.example')).toEqual([]);
  expect(asked.slice(0, 4).sort()).toEqual(['good A', 'good A', 'good AAAA', 'good AAAA']);
  // A name that this machine knows by itself is none of a peer.
  expect(await find(lookup, 'localhost.example')).toEqual([]);
});

test('names that are never answered hold up neither others, nor files, nor the look-ups of the operator', async () => {
  const { servers, asked } = await nameServer();
  const lookup = dnsLookup({ servers, limitMs: 4000 });
  const ending = dnsLookup({ servers, limitMs: 300 });
  let slow = 0;
  const pending = Array.from({ length: 64 }, (_, n) =>
    find(lookup, `slow${n}.example`).then(() => slow++),
  );
  expect(await find(lookup, 'good.example')).toHaveLength(2);
  await systemLookup('localhost');
  await stat('.');
  expect(slow).toBe(0);
  // Nothing goes on once the time of a name has passed.
  expect(await find(ending, 'slow.example')).toEqual([]);
  const before = asked.filter((question) => question.startsWith('slow ')).length;
  expect(before).toBeGreaterThan(0);
  expect(slow).toBe(0);
  await Promise.all(pending);
  expect(asked.filter((question) => question.startsWith('slow '))).toHaveLength(before);
});

test('names of strangers never go to the look-up of the system, except in a private network', () => {
  const inPublic = lookupsFor({ lookup: undefined, privateAddresses: false });
  expect(inPublic.operator).toBe(systemLookup);
  expect(inPublic.strangers).not.toBe(systemLookup);
  const inPrivate = lookupsFor({ lookup: undefined, privateAddresses: true });
  expect(inPrivate).toEqual({ operator: systemLookup, strangers: systemLookup });
});
