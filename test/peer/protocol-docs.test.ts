import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ANCHORS_MAX } from '@mesh-registry/peer/book/anchors.ts';
import { TRIED_MAX } from '@mesh-registry/peer/book/address-book.ts';
import {
  COUNTED_MAX,
  HOST_REFUSED_AT,
  NETWORK_REFUSED_AT,
  REFUSED_AT,
  REFUSED_MAX,
} from '@mesh-registry/peer/guard/conduct.ts';
import { FORGIVEN_MS, REFUSAL_MS } from '@mesh-registry/peer/guard/point-table.ts';
import * as limits from '@mesh-registry/peer/base/limits.ts';
import { REFUSALS } from '@mesh-registry/peer/session/messages.schema.ts';
import { INTERVALS } from '@mesh-registry/peer/peer.ts';
import {
  PEERS_MAX,
  PER_GROUP_MAX,
  PER_SOURCE_MAX,
} from '@mesh-registry/peer/records/record-table.ts';
import { BODY_BYTES_MAX } from '@mesh-registry/protocol/log/block.schema.ts';
import { DOCUMENT_PAYLOAD_MAX } from '@mesh-registry/protocol/keys/dsse.schema.ts';

/** docs/peer-protocol.md says what packages/peer/base/limits.ts sets: all of it, and nothing else. */

const document = readFileSync(join(import.meta.dirname, '../../docs/peer-protocol.md'), 'utf8');

/** The same object, and which of its fields were read. */
function observed<T extends object>(object: T): { object: T; read: Set<string> } {
  const read = new Set<string>();
  const get = (target: T, name: string) => {
    read.add(name);
    return Reflect.get(target, name) as unknown;
  };
  return { object: new Proxy(object, { get }), read };
}

const LIMITS = observed(limits.LIMITS);
const POINTS = observed(limits.POINTS);
const l = LIMITS.object;
const points = POINTS.object;

const count = (number: number) => number.toLocaleString('en');
const bytes = (number: number) =>
  number % 1024 ** 2 === 0 ? `${number / 1024 ** 2} MiB` : `${number / 1024} KiB`;
const seconds = (ms: number) => `${ms / 1000} s`;
const hours = (ms: number) => (ms === 3_600_000 ? 'hour' : `${ms / 3_600_000} hours`);

/** The rows of the table, in their order. */
const ROWS = {
  'Control messages of a session': `${l.messagesPerSecond} a second, ${l.messagesBurst} at once; \`getpeers\` counts as ${l.peersRequestCost}, a request for root and truth as ${l.truthRequestCost}`,
  'Records of a session': `${l.recordsPerSecond} a second, ${l.recordsBurst} at once, beside those it was asked for; half of that is passed on`,
  'What a peer says it has': `${1000 / l.haveMs} times a second`,
  'Requests for blocks of a session': `${l.requestsPerSecond} a second, ${l.requestsBurst} at once; more wait`,
  Sessions: `${l.sessions}; ${l.outboundSessions} of them are dialled; an eighth of the others, at most ${l.visitors}, is for visits of ${seconds(l.visitMs)}, ${l.groupVisitors} of a network group at a time`,
  Connections: `${l.strangers} without a session, encrypted or not; the next one takes the place of one of these; ${seconds(l.silentMs)} without a byte`,
  'Connections of one host': `${l.connectionsPerHost} open, ${l.connectionsPerHostPerSecond} new ones a second; the /64 of IPv6 is one host`,
  'Messages, small frames, records and requests of one host': `as many as ${l.connectionsPerHost / 2} sessions have, however often it comes back; more wait, and more records are left out`,
  'Bytes of control messages of one host': `${bytes((l.connectionsPerHost / 2) * l.bytesPerSecond)} a second, ${bytes((l.connectionsPerHost / 2) * l.bytesBurst)} at once; more wait`,
  'All of these of one network': `as many as ${l.hostsPerNetwork} hosts have: a /24 of IPv4, a /48 of IPv6, no private one; ${count(l.budgets)} hosts and networks are remembered, and others share what one has`,
  'Bytes of a negotiation': `${bytes(l.upgradeBytes)} until a connection is encrypted; ${l.settlingBytes} until the protocol of a stream is settled`,
  'Streams of a connection': `${l.streamsPerConnection}, of a protocol ${l.streamsPerProtocol}, one for control; ${l.streamsPerSecond} new ones a second, ${l.streamsBurst} at once`,
  'Frames of Yamux': `${bytes(l.frameBytes)}; ${count(l.framesPerSecond)} a second, ${count(l.framesBurst)} at once`,
  [`Frames with less than ${bytes(l.smallFrameBytes)}`]: `${l.smallFramesPerSecond} a second, ${count(l.smallFramesBurst)} at once, and one more for each ${bytes(l.bytesPerSmallFrame)} that are sent to the peer`,
  'What waits for a peer to read it': `${bytes(l.backlogBytes)} of a connection; ${seconds(l.sendMs)} for a message; ${bytes(l.backlogBytesInAll)} of all connections: beyond that the host with the most loses one`,
  'Blocks and truths that all peers together are sent': `as many as they ask for, or \`max_upload_rate\` bytes a second, ${bytes(l.uploadBytesPerSecondMin)} or more; hosts take turns`,
  'A request for root and truth, or for blocks': bytes(l.requestBytes),
  'An answer, and each of its parts': `${seconds(l.answerMs)}; a batch of blocks ${seconds(l.batchMs)}, then what has come counts`,
  'A root or truth': `${count(DOCUMENT_PAYLOAD_MAX)} characters in base64; of peers that came to us, ${l.inboundFetches} are asked at a time`,
};

/** Numbers that stand where they belong instead. */
const SENTENCES = [
  `Messages have at most ${bytes(l.controlBytes)}.`,
  `each of its messages has ${seconds(l.helloMessageMs)}, and all of it ${seconds(l.helloMs)}.`,
  `here \`[${limits.PROTOCOL_VERSION}, ${limits.PROTOCOL_VERSION}]\``,
  `\`clock_skew\` (more than ${l.clockSkewMs / 60_000} minutes)`,
  `Every ${seconds(l.pingMs)}, timed by a monotonic clock. ${['', 'One', 'Two', 'Three'][l.missedPings]} without an answer end the session.`,
  `Up to ${l.recordsPerMessage} records. New ones are passed on to ${l.recordFanout} others.`,
  `for at most ${hours(l.recordMs)}, and renewed every ${hours(l.recordRenewMs)};`,
  `each to four addresses at most, within ${seconds(l.helloMessageMs)}`,
  `at most ${count(PEERS_MAX)} peers, at most ${count(TRIED_MAX)} of them reached before; of the others ${PER_SOURCE_MAX} brought by one network group`,
  `and ${PER_GROUP_MAX} that are in one.`,
  `Of the ${l.outboundSessions} outbound sessions`,
  `up to ${ANCHORS_MAX} of these`,
  `at most ${l.rootsPerAnswer} roots and ${bytes(l.truthBytes)}.`,
  `asks for up to ${count(l.batchBlocks)} blocks; the answer is packs of about ${bytes(l.packBytes)}, at most ${bytes(l.batchBytes)} in all`,
  `its body of at most ${bytes(BODY_BYTES_MAX)}.`,
  `a malformed message ${points.malformed},`,
  `one over the rate ${points.flood},`,
  `not signed by its subject ${points.badRecord},`,
  `that nobody may sign ${points.forged},`,
  `that were promised ${points.emptyPromise},`,
  `a pong to no ping ${points.unaskedPong}.`,
  `A point is forgiven every ${seconds(FORGIVEN_MS)}; at ${REFUSED_AT} the session ends, and the peer is refused for an ${hours(REFUSAL_MS)},`,
  `at ${HOST_REFUSED_AT} from a host, or ${count(NETWORK_REFUSED_AT)} from a network,`,
  `of ${count(REFUSED_MAX)} peers, with the points of ${count(COUNTED_MAX)} others`,
  `Once ${INTERVALS.refresh === 60_000 ? 'a minute' : '?'} a peer compares`,
  ...REFUSALS.map((code) => `\`${code}\``),
];

test('the table of limits has the limits that hold', () => {
  const [, table = ''] = document.split('\n## Limits\n');
  const rows = [...table.matchAll(/^\| (.+?) +\| (.+?) +\|$/gm)].map(([, what, most]) => [
    what,
    most,
  ]);
  expect(rows.filter(([what]) => what !== 'What' && !what?.startsWith('--'))).toEqual(
    Object.entries(ROWS),
  );
});

test('what is said elsewhere holds too', () => {
  for (const sentence of SENTENCES) expect(document).toContain(sentence);
});

test('no limit, and no price of a fault, is left out', () => {
  expect(LIMITS.read).toEqual(new Set(Object.keys(limits.LIMITS)));
  expect(POINTS.read).toEqual(new Set(Object.keys(limits.POINTS)));
});
