import type { RegistryEntry } from '@mesh-registry/protocol/rest/registry.schema.ts';
import { badgeState } from './badge.ts';

/** The picture of a name that other sites show beside a link to it. */

/** Width and height (px) that sites ask for in such a picture. */
export const CARD = { width: 1200, height: 630 };

/** The part of the card that shows the node’s place, px: above the name, which may take the whole width. */
export const CARD_FRAME = { ...CARD, x: 960, y: 124 };

export const cardAlt = (entry: RegistryEntry): string =>
  `${entry.name} in the Mesh Registry: ${badgeState(entry).text}`;
