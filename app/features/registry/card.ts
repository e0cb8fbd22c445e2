import type { RegistryEntry } from '@mesh-registry/protocol/rest/registry.schema.ts';
import { badgeState } from './badge.ts';

/** The picture of a name that other sites show beside a link to it. */

/** Size, px: what they ask for. */
export const CARD = { width: 1200, height: 630 };

/** Where on it the place of the node is: above the name, however long that is. */
export const CARD_FRAME = { ...CARD, x: 960, y: 124 };

export const cardAlt = (entry: RegistryEntry): string =>
  `${entry.name} in the Mesh Registry: ${badgeState(entry).text}`;
