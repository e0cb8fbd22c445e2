import type { ServiceContext } from '#server/context.ts';
import { alternatives } from '#server/names/alternatives.ts';
import { availability } from '#server/names/availability.ts';
import { presentEntry } from './entry.ts';
import { nameDetails } from './name.ts';
import { RecentSearches } from './recent-searches.ts';
import { searchRegistry } from './search.ts';
import { searchHref, type RegistrySearch } from './search.schema.ts';
import { RegistryView } from './view.ts';

export { whyRefused } from '#server/names/availability.ts';
export { nameDetails, type NameDetails } from './name.ts';
export { NameIndex } from '#server/names/name-index.ts';
export { ReservedNameIndex } from '#server/names/reserved-name-index.ts';
export { createReservedNames, type ReservedName } from '#server/names/reserved-names.ts';

export type RegistryService = ReturnType<typeof createRegistry>;

/** From this many active names on, a search takes about a millisecond. */
const LARGE = 1000;

/** The registry of active names, and which names are available. */
export function createRegistry(context: ServiceContext) {
  const { names, clock } = context;
  const view = new RegistryView(context);
  const recent = new RecentSearches();

  return {
    /** The body of GET /api/registry. */
    answer: () => view.answer(),
    /** The body of GET /api/registry/register without parameters. */
    infoAnswer: () => view.infoAnswer(),
    /** In a large registry the page may be a second old. */
    search(search: RegistrySearch) {
      const now = clock();
      const make = () => searchRegistry(context, view, search, now);
      return view.stats(now).active < LARGE ? make() : recent.get(searchHref(search), now, make);
    },
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
