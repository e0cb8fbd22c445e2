import { oneEdit } from '#server/common/one-edit.schema.ts';
import type { ServiceContext } from '#server/context.ts';
import type { NameIndex } from '#server/names/index.ts';
import { NAME_MAX } from '@mesh-registry/protocol/rest/fields.schema.ts';

const SMALL = 'abcdefghijklmnopqrstuvwxyz0123456789_-';
/** Longest ID of a node. */
const ID_MAX = 64;
/** A shorter text is one edit away from too much. */
const LEAST = 3;

/** An active name or a node that is shown. */
export interface Near {
  kind: 'name' | 'node';
  id: string;
}

/** Finds what somebody may have meant. From memory, in a time that no size of the network makes longer. */
export function createNearest(
  { live }: Pick<ServiceContext, 'live'>,
  { names }: { names: NameIndex },
) {
  const isNode = (id: string) => live.peers.get(id) !== undefined && live.nodes.isShown(id);
  const isName = (name: string) => names.active(name) !== undefined;

  /** The active name that this one is, or is one edit away from; null: none. */
  function name(given: string): string | null {
    const text = given.toLowerCase();
    if (text.length < LEAST || text.length > NAME_MAX + 1) return null;
    return isName(text) ? text : firstOf(oneEdit(text, SMALL), isName);
  }

  /** The node on the map whose id this is, or differs from in the case of letters or by one edit; null: none. */
  function node(given: string): string | null {
    if (given.length < LEAST || given.length > ID_MAX + 1) return null;
    if (isNode(given)) return given;
    const similar = live.nodes.similarTo(given).ids.find(isNode);
    if (similar !== undefined) return similar;
    const alphabet = /[A-Z]/.test(given) ? SMALL + SMALL.slice(0, 26).toUpperCase() : SMALL;
    return firstOf(oneEdit(given, alphabet), isNode);
  }

  return {
    name,
    node,
    /** What a part of an address may stand for: what it is, before what it nearly is. */
    any(given: string): Near | null {
      if (isName(given)) return { kind: 'name', id: given };
      if (isNode(given)) return { kind: 'node', id: given };
      const nearName = name(given);
      if (nearName !== null) return { kind: 'name', id: nearName };
      const nearNode = node(given);
      return nearNode === null ? null : { kind: 'node', id: nearNode };
    },
  };
}

function firstOf(texts: Iterable<string>, is: (text: string) => boolean): string | null {
  for (const text of texts) if (is(text)) return text;
  return null;
}
