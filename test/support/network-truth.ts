import { createHash } from 'node:crypto';
import { signEnvelope } from '@mesh-registry/protocol/keys/dsse.ts';
import { generateNodeKey, nodeKeyText } from '@mesh-registry/protocol/keys/node-key.ts';
import { peerIdOfKey } from '@mesh-registry/protocol/keys/peer-id.ts';
import {
  ROOT_TYPE,
  TRUTH_TYPE,
  type Root,
  type Truth,
} from '@mesh-registry/protocol/truth/truth.schema.ts';

/** A network's root and truth, of throwaway keys: two of three sign the root, two of three others the truth. */

export const HOUR = 3_600_000;
export const START = Date.parse('2026-06-01T00:00:00Z');
export const iso = (at: number) => new Date(at).toISOString();

export const keys = (count: number) => Array.from({ length: count }, generateNodeKey);
export type Keys = ReturnType<typeof keys>;
export const [owners, signers, loggers] = [keys(3), keys(3), keys(1)];
export const role = (of: Keys, threshold: number) => ({ keys: of.map(nodeKeyText), threshold });

export const aRoot = (fields: Partial<Root> = {}): Root => ({
  network: 'mesh.example.org',
  version: 1,
  issued: iso(START),
  expires: iso(START + 1000 * HOUR),
  roles: { root: role(owners, 2), truth: role(signers, 2), block: role(loggers, 1) },
  ...fields,
});
const aTruth = (fields: Partial<Truth> = {}): Truth => ({
  network: 'mesh.example.org',
  version: 1,
  issued: iso(START),
  expires: iso(START + 100 * HOUR),
  minProtocol: 1,
  bans: [],
  log: { height: 0, id: '0'.repeat(64) },
  ...fields,
});

export const root = (fields: Partial<Root> = {}, by = owners.slice(0, 2)) =>
  signEnvelope(ROOT_TYPE, JSON.stringify(aRoot(fields)), ...by);
export const truth = (fields: Partial<Truth> = {}, by = signers.slice(0, 2)) =>
  signEnvelope(TRUTH_TYPE, JSON.stringify(aTruth(fields)), ...by);

const PEERS = keys(2).map((key) => peerIdOfKey(nodeKeyText(key)));

/** What a network publishes that is in good order at a moment: two roots, two bans, and a checkpoint. */
export function publishedAt(now: number) {
  const from = (days: number) => iso(now + days * 24 * HOUR);
  const times = { issued: from(-3), expires: from(27) };
  const log = { height: 41_210, id: createHash('sha256').update('block').digest('hex') };
  const [one = '', other = ''] = PEERS;
  const bans = [
    { peer: one, reason: 'floods its peers', since: from(-12), until: null },
    { peer: other, reason: '', since: from(-3), until: from(4) },
  ];
  return {
    roots: [
      root({ issued: from(-90), expires: from(275) }),
      root({ version: 2, issued: from(-20), expires: from(345) }),
    ],
    truth: truth({ version: 5, ...times, bans, log }),
  };
}
