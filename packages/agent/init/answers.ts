import { randomInt } from 'node:crypto';
import type { NodeClass } from '@mesh-registry/protocol/values.schema.ts';

/** What `init` writes. */
export interface Answers {
  url: string;
  nodeId: string;
  label: string | null;
  class: NodeClass | null;
  region: string | null;
  /** As they will be written: rounded. Null: not on the map. */
  place: { lat: number; lng: number } | null;
  secret: SecretAnswer;
}

export type SecretAnswer =
  | { kind: 'none' }
  /** The operator sets MESH_AGENT_SECRET. */
  | { kind: 'environment' }
  | { kind: 'file'; path: string }
  /** To be stored beside the configuration. */
  | { kind: 'value'; value: string };

/** Without letters and digits that look alike. */
const ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789';

/** An id that tells nothing about its machine. */
export const randomNodeId = (): string =>
  `node_${Array.from({ length: 8 }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')}`;
