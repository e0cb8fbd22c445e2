import { setTimeout as sleep } from 'node:timers/promises';
import { signRecord } from '@mesh-registry/peer/records/peer-record.ts';
import type { DsseEnvelope } from '@mesh-registry/protocol/keys/dsse.schema.ts';
import { LIMITS } from '@mesh-registry/peer/base/limits.ts';
import { Attacker } from '../../../test/peer/attacker.ts';
import { aRecord, aSubject } from '../../../test/support/peer-records.ts';

/** A node that floods a peer with records of peers that it has made up: each costs the peer a signature to check. */

export interface PeerFloodOptions {
  /** The peer: where it is dialled, with its id, and the id. */
  address: string;
  id: string;
  /** Hosts that it comes from, at the same time. */
  from: readonly string[];
  /** Of all of them. */
  bytesPerSecond: number;
  /** How many records are made before it begins: signing takes longer than sending. */
  records: number;
}

export interface PeerFloodResult {
  /** What the peer took, MB a second. */
  megabytesPerSecond: number;
  /** Sessions that the peer let in, and attempts that it refused. */
  sessions: number;
  refused: number;
}

const RETRY_MS = 200;

/** @returns ends it */
export function floodPeer(options: PeerFloodOptions): () => PeerFloodResult {
  const { from, bytesPerSecond } = options;
  const messages = prepareMessages(options.records);
  const count = { bytes: 0, messages: 0, sessions: 0, refused: 0 };
  const startedAt = performance.now();
  const seconds = () => (performance.now() - startedAt) / 1000;
  let ended = false;

  /** Each session is of a new identity. It ends when the peer ends it. */
  const floodOnce = async (host: string) => {
    const attacker = await Attacker.create(host);
    try {
      const { connection, control } = await attacker.enterOnce(options);
      count.sessions++;
      control.attend();
      while (!ended && connection.status === 'open') {
        const message = messages[count.messages++ % messages.length] as Buffer;
        await control.send(message);
        count.bytes += message.length;
        const aheadMs = (count.bytes / bytesPerSecond - seconds()) * 1000;
        if (aheadMs > 0) await sleep(aheadMs);
      }
    } finally {
      await attacker.stop();
    }
  };
  const floodFrom = async (host: string) => {
    while (!ended) {
      const before = count.sessions;
      try {
        await floodOnce(host);
      } catch {
        if (count.sessions === before) count.refused++;
      }
      await sleep(RETRY_MS);
    }
  };
  for (const host of from) void floodFrom(host);
  return () => {
    ended = true;
    const { bytes, sessions, refused } = count;
    return { megabytesPerSecond: bytes / 1e6 / seconds(), sessions, refused };
  };
}

/** Full messages with records of peers at addresses in as many groups, which refuse whoever dials them at once. */
function prepareMessages(records: number): Buffer[] {
  const expires = new Date(Date.now() + LIMITS.recordMs).toISOString();
  const record = (n: number): DsseEnvelope => {
    const subject = aSubject();
    const address = `/ip4/127.${20 + (n % 80)}.${(n >> 4) & 255}.${n >> 12}/tcp/1`;
    return signRecord(aRecord(subject, address, { expires }), subject.key);
  };
  return Array.from({ length: Math.ceil(records / LIMITS.recordsPerMessage) }, (_, turn) => {
    const first = turn * LIMITS.recordsPerMessage;
    const of = Array.from({ length: LIMITS.recordsPerMessage }, (_, n) => record(first + n));
    return Buffer.from(JSON.stringify({ t: 'peers', records: of }));
  });
}
