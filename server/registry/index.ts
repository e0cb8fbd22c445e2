import type { ServiceContext } from '#server/common/context.ts';
import { alternatives } from './alternatives.ts';
import { availability } from './availability.ts';
import { presentEntry } from './entry.ts';
import { nameDetails } from './name.ts';
import { searchRegistry } from './search.ts';
import type { RegistrySearch } from './search.schema.ts';
import { RegistryView } from './view.ts';

export { whyRefused } from './availability.ts';
export { nameDetails, type NameDetails } from './name.ts';
export { NameIndex } from './name-index.ts';
export { ReservedNameIndex } from './reserved-name-index.ts';
export { createReservedNames, type ReservedName } from './reserved-names.ts';

export type RegistryService = ReturnType<typeof createRegistry>;

/** The registry of active names, and which names are available. */
export function createRegistry(context: ServiceContext) {
  const { names, clock } = context;
  const view = new RegistryView(context);

  return {
    /** The body of GET /api/registry. */
    answer: () => view.answer(),
    /** The body of GET /api/registry/register without parameters. */
    infoAnswer: () => view.infoAnswer(),
    search: (search: RegistrySearch) => searchRegistry(context, view, search, clock()),
    name: (name: string) => nameDetails(context, name),
    /** All active names and when they were activated, newest first. */
    names: () => view.info().directory,
    /** Active names registered for a node, by name; as of `now` (ms). */
    ofNode: (nodeId: string, now = clock()) =>
      [...names.ofNode(nodeId)]
        .sort()
        .flatMap((name) => names.active(name) ?? [])
        .map((row) => presentEntry(context, row, now)),
    availability: (name: string) => availability(context, name),
    /** Available names similar to one that is not. */
    alternatives: (name: string) => alternatives(context, name),
  };
}
