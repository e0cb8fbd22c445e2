import { createSignal } from '#server/common/rooms.ts';
import type { ServiceContext } from '#server/context.ts';
import type { NameIndex } from '#server/names/index.ts';
import { presentEntry, nameDetails } from './entry.ts';
import { RecentSearches, searchRegistry } from './search.ts';
import { searchHref, type RegistrySearch } from './search.schema.ts';
import { RegistryView } from './view.ts';

export type { NameDetails } from './entry.ts';

export type RegistryService = ReturnType<typeof createRegistry>;

/** From this many active names on, a search takes about a millisecond. */
const LARGE = 1000;

/** A name that is active for longer, milliseconds, has not just become so: this server has read it again. */
const JUST_MS = 60_000;

/** The registry of active names. */
export function createRegistry(service: ServiceContext, { names }: { names: NameIndex }) {
  const context = { ...service, names };
  const { clock, log } = context;
  const activated = createSignal<string>(log);
  names.onChange((name) => {
    const { activatedAt } = names.active(name) ?? {};
    if (activatedAt && clock() - activatedAt.getTime() < JUST_MS) activated.emit(name);
  });
  const view = new RegistryView(context);
  const recent = new RecentSearches();

  return {
    /** A name has become active, at this server or another one. Somebody may still undo that. */
    activated,
    /** The body of GET /api/registry. */
    answer: () => view.answer(),
    /** The body of GET /api/registry/register without parameters. */
    infoAnswer: () => view.infoAnswer(),
    /** Makes the list: not at the expense of the first to ask. */
    async load() {
      await view.answer();
    },
    /** In a large registry the page may be a second old. */
    search(search: RegistrySearch) {
      const now = clock();
      const make = () => searchRegistry(context, view, search, now);
      return view.stats(now).active < LARGE ? make() : recent.get(searchHref(search), now, make);
    },
    /** Everything known about a name as of `now` (ms). @param name normalised */
    name: (name: string, now?: number) => nameDetails(context, name, now),
    /** All active names and when they were activated, newest first. */
    names: () => view.info().directory,
    /** Active names registered for a node, by name; as of `now` (ms). */
    ofNode: (nodeId: string, now = clock()) =>
      [...names.ofNode(nodeId)]
        .sort()
        .flatMap((name) => names.active(name) ?? [])
        .map((row) => presentEntry(context, row, now)),
  };
}
