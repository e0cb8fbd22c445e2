import { signEnvelope } from '#shared/dsse.ts';
import { generateNodeKey, nodeKeyText } from '#shared/node-key.ts';
import { ROOT_TYPE, TRUTH_TYPE, type Root, type Truth } from '#shared/truth/truth.schema.ts';

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
