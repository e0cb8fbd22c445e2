import { randomBytes, randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { unpack } from '@mesh-registry/protocol/log/pack.ts';
import * as messages from '@mesh-registry/peer/session/messages.schema.ts';
import { AddressBook } from '@mesh-registry/peer/book/address-book.ts';
import { openRecord, RecordError } from '@mesh-registry/peer/records/peer-record.ts';
import { aSubject, NETWORK, signed } from '../support/peer-records.ts';
import { rounds } from '../support/rounds.ts';
import { until } from '../support/until.ts';
import { openWire, type Attacker, type Message, type Wire } from './attacker.ts';
import { expires } from './attack-tools.ts';
import { pack } from './pack.ts';
import { underAttack } from './under-attack.ts';

/** Nothing that anybody sends ends a peer or makes it grow. What it throws where nobody catches it fails these tests. */

const { CONTROL, TRUTH, BLOCKS } = messages;

test('packs: what was packed comes out, and anything else is a fault of its sender', () => {
  const frame = fc.uint8Array({ minLength: 1, maxLength: 60 });
  fc.assert(
    fc.property(fc.array(frame, { maxLength: 20 }), (frames) => {
      const plain = unpack(pack(frames), 20).map((bytes) => [...bytes]);
      expect(plain).toEqual(frames.map((bytes) => [...bytes]));
    }),
  );
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 80 }), fc.nat(5), (bytes, max) => {
      try {
        expect(unpack(bytes, max).length).toBeLessThanOrEqual(max);
      } catch (error) {
        expect(error).toBeInstanceOf(RangeError);
      }
    }),
  );
});

test('messages: nothing but their own shape passes, and nothing breaks the check', () => {
  const schemas = [
    messages.Hello,
    messages.Auth,
    messages.ControlMessage,
    messages.TruthRequest,
    messages.TruthAnswer,
    messages.BlocksRequest,
  ];
  const kind = fc.constantFrom('hello', 'auth', 'ok', 'refuse', 'ping', 'have', 'peers', 'bye');
  const near = fc.record(
    { t: kind, n: fc.anything(), records: fc.anything(), root: fc.anything(), from: fc.anything() },
    { requiredKeys: [] },
  );
  const right = fc.oneof(
    fc.record({ t: fc.constant('ping'), n: fc.string({ minLength: 1, maxLength: 20 }) }),
    fc.record({ root: fc.nat() }),
    fc.record({ from: fc.nat().map((n) => n + 1), max: fc.constantFrom(1, 10) }),
  );
  let passed = 0;
  fc.assert(
    fc.property(fc.oneof(fc.anything(), near, right), (value) => {
      for (const schema of schemas) {
        const result = schema.safeParse(value);
        // What passes is what was sent, without anything more.
        if (!result.success) continue;
        expect(Object.keys(result.data)).toEqual(Object.keys(value as object));
        passed++;
      }
    }),
  );
  expect(passed).toBeGreaterThan(0);
});

test('records: a changed one is refused as such', () => {
  const record = signed(aSubject(), '/ip4/192.0.2.1/tcp/9900', { expires });
  const saying = (json: string) => ({ ...record, payload: Buffer.from(json).toString('base64') });
  // What has a field of that name is no text or number, and to make it one throws.
  const odd = fc.constantFrom('{"toString":1,"valueOf":1}', '['.repeat(9000) + ']'.repeat(9000));
  const changed = fc.oneof(
    fc.base64String({ maxLength: 400 }).map((payload) => ({ ...record, payload })),
    fc.json().map(saying),
    fc
      .tuple(fc.oneof(odd, fc.json()), fc.oneof(odd, fc.json()))
      .map(([peer, seq]) => saying(`{"peer":${peer},"seq":${seq}}`)),
    fc.string().map((payloadType) => ({ ...record, payloadType })),
    fc
      .base64String({ maxLength: 88 })
      .map((sig) => ({ ...record, signatures: [{ keyid: '', sig }] })),
  );
  const book = new AddressBook({ network: NETWORK, self: '', isRefused: () => false });
  fc.assert(
    fc.property(changed, (envelope) => {
      expect(() => openRecord(envelope)).toThrow(RecordError);
      expect(() => book.take(envelope, 'source')).toThrow(RecordError);
    }),
  );
});

/** Bytes that may come: noise, lengths that lie, JSON of the wrong shape, messages that are nearly right. */
function nonsense(attacker: Attacker): Uint8Array[] {
  const framed = (bytes: Uint8Array) => Buffer.concat([lengthOf(bytes.length), bytes]);
  const text = (value: unknown) => framed(Buffer.from(JSON.stringify(value) ?? ''));
  const hello = attacker.hello();
  const field = Object.keys(hello)[randomInt(Object.keys(hello).length)] ?? 't';
  const [value] = fc.sample(fc.jsonValue(), 1);
  const whole = text(hello);
  const flipped = Buffer.from(whole);
  const at = randomInt(flipped.length);
  flipped.writeUInt8(flipped.readUInt8(at) ^ (1 << randomInt(8)), at);
  return [
    randomBytes(randomInt(1, 400)),
    lengthOf(randomInt(2 ** 28)),
    framed(randomBytes(randomInt(1, 2000))),
    framed(new Uint8Array()),
    text(value),
    text({ ...hello, [field]: value }),
    text({ t: ['ping', 'pong', 'have', 'getpeers', 'peers', 'bye'][randomInt(6)], n: value }),
    text({ root: value }),
    text({ from: value, max: 1024 }),
    flipped,
    whole.subarray(0, randomInt(whole.length)),
    Buffer.from(`${'['.repeat(3000)}`),
    framed(Buffer.from('[['.repeat(5000))),
  ];
}

function lengthOf(length: number): Buffer {
  const digits = [];
  for (; length > 127; length = Math.floor(length / 128)) digits.push(0x80 | (length & 0x7f));
  return Buffer.from([...digits, length]);
}

/** One identity says one thing, before or after its hello, and goes, or waits. */
async function say(attacker: Attacker, wire: Wire, what: Uint8Array): Promise<void> {
  const answers: Message[] = wire.attend();
  wire.raw(what);
  if (randomInt(3) === 0) await wire.stream.close();
  if (randomInt(3) === 0) wire.stream.abort(new Error('gone'));
  await sleep(20);
  expect(answers.filter(({ t }) => t === 'ok')).toEqual([]);
  await attacker.stop();
}

test('frames: on every protocol, before and after the hello', async ({ onTestFinished }) => {
  const { victim, friend, attacker, expectFriendship } = await underAttack(onTestFinished, {
    connectionsPerHost: 1000,
    connectionsPerHostPerSecond: 1000,
  });
  const turn = async () => {
    const rude = await attacker();
    const [what] = fc.sample(fc.constantFrom(...nonsense(rude)), 1);
    const protocol = [CONTROL, TRUTH, BLOCKS][randomInt(3)] ?? CONTROL;
    try {
      const isKnown = randomInt(2) === 0;
      const known = isKnown ? await rude.enter(victim) : null;
      const connection = known?.connection ?? (await rude.dial(victim));
      const wire =
        known && protocol === CONTROL ? known.control : await openWire(connection, protocol);
      if (what) await say(rude, wire, what);
    } catch (error) {
      // The victim may end what it does not like at any moment, but nothing else may go wrong.
      expect(String(error)).toMatch(
        /Stream|Abort|closed|reset|ECONN|Unexpected EOF|Negotiation|muxer/i,
      );
      await rude.stop();
    }
  };
  for (let round = 0; round < rounds(10); round++)
    await Promise.all(Array.from({ length: 8 }, turn));
  await until('all are gone', () => victim.peer.status.sessions.length === 1);
  expect(victim.peer.status.known).toBe(1);
  expect(friend.of('fault')).toEqual([]);
  expect(Object.keys(victim.peer.status.refusals).length).toBeLessThanOrEqual(
    messages.REFUSALS.length + 3,
  );
  expect(victim.of('fault').every(({ points }) => points <= 100)).toBe(true);
  await expectFriendship();
});
