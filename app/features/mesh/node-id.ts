import { isReservedNodeId } from '@mesh-registry/protocol/rest/fields.schema.ts';
import { NODE_ID_PATTERN } from '@mesh-registry/protocol/values.schema.ts';

/** Length of an id, characters. */
const MIN = 2;
const MAX = 64;

/** Why no node can have this id, in a sentence; null if the id is valid. */
export function whyInvalidId(id: string): string | null {
  if (isReservedNodeId(id)) return 'It is reserved for the bootstrap peer.';
  if (NODE_ID_PATTERN.test(id)) return null;
  const others = [...new Set(id)].filter((character) => !/[a-zA-Z0-9_-]/.test(character));
  const rule = `IDs are ${MIN}–${MAX} characters: a–z, A–Z, 0–9, _ and -.`;
  if (others.length > 0) {
    const shown = others.slice(0, 5).map(named).join(', ');
    return `It contains ${shown}${others.length > 5 ? ' and more' : ''}. ${rule}`;
  }
  const length = id.length;
  return `It has ${length} ${length === 1 ? 'character' : 'characters'}. ${rule}`;
}

/** A readable form of a character; an invisible one by its number. */
function named(character: string): string {
  if (character === ' ') return 'a space';
  if (/[\p{L}\p{N}\p{P}\p{S}]/u.test(character)) return `“${character}”`;
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}
