import type { KeyObject } from 'node:crypto';
import type { DsseEnvelope } from '@mesh-registry/protocol/keys/dsse.schema.ts';
import { generateNodeKey, nodeKeyText } from '@mesh-registry/protocol/keys/node-key.ts';
import { peerIdOfKey } from '@mesh-registry/protocol/keys/peer-id.ts';
import { signRecord } from '@mesh-registry/peer/records/peer-record.ts';
import type { PeerRecord } from '@mesh-registry/peer/records/peer-record.schema.ts';

export const NETWORK = 'mesh.example.org';
export const START = Date.parse('2026-01-01T00:00:00Z');

/** A peer that signs its own records. */
export interface Subject {
  key: KeyObject;
  peer: string;
}

export function aSubject(): Subject {
  const key = generateNodeKey();
  return { key, peer: peerIdOfKey(nodeKeyText(key)) };
}

/** @param addrs an address, or several */
export const aRecord = (
  { peer }: Pick<Subject, 'peer'>,
  addrs: string | string[],
  fields: Partial<PeerRecord> = {},
): PeerRecord => ({
  network: NETWORK,
  peer,
  seq: 1,
  expires: new Date(START + 6 * 3_600_000).toISOString(),
  addrs: [addrs].flat(),
  caps: ['blocks'],
  ...fields,
});

export const signed = (
  subject: Subject,
  addrs: string | string[],
  fields: Partial<PeerRecord> = {},
): DsseEnvelope => signRecord(aRecord(subject, addrs, fields), subject.key);
