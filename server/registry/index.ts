import { Recent } from '#server/common/recent.ts';
import { createSignal } from '#server/common/rooms.ts';
import type { ServiceContext } from '#server/context.ts';
import {
  detailsTag,
  followed,
  SlicedAnswers,
  type TextAsker,
  type TextPart,
} from '#server/live/index.ts';
import type { NameIndex } from '#server/names/index.ts';
import { presentEntry, nameDetails, registeredFacts, shownFacts } from './entry.ts';
import { searchRegistry, UPTIME_SORT_MAX, type RegistryPage, type Uptimes } from './search.ts';
import { isFiltered, searchHref, type RegistrySearch } from './search.schema.ts';
import { RegistryView } from './view.ts';

export type { NameDetails } from './entry.ts';
export type { RegistryPage } from './search.ts';

export type RegistryService = ReturnType<typeof createRegistry>;

/** From this many active names on, a search takes milliseconds. */
const MANY_NAMES = 1000;
/** Different searches that are remembered. */
const REMEMBERED = 50;

/** A name that is active for longer, milliseconds, has not just become so: this server has read it again. */
const JUST_MS = 60_000;

/** Making a file of this many names is worth a look-up. */
const NAMES_A_LOOKUP = 1000;

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
  const files = new SlicedAnswers();
  const recent = new Recent<RegistryPage>(REMEMBERED);

  const details = (name: string, now?: number) => nameDetails(context, name, now);

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
    /**
     * One page of the active names that match. In a large registry it may be a second old.
     * @param lookThrough called before that many names are looked through; it may refuse
     * @param uptimes of the nodes with names, for the order by uptime
     */
    search(
      search: RegistrySearch,
      lookThrough: (names: number) => void = () => {},
      uptimes?: Uptimes,
    ) {
      const now = clock();
      const make = () => {
        const looksThrough = isFiltered(search) || !['name', 'since'].includes(search.sort);
        if (looksThrough) lookThrough(view.stats(now).active);
        return searchRegistry(context, view, search, now, uptimes);
      };
      return view.stats(now).active < MANY_NAMES
        ? make()
        : recent.get(searchHref(search), now, make);
    },
    /** The nodes that have active names, for the order by uptime; empty if there are too many to read. */
    nodesByUptime: () => {
      const rows = view.stats(clock()).active <= UPTIME_SORT_MAX ? view.rows() : [];
      return new Set(rows.map(({ nodeId }) => nodeId));
    },
    /** Everything known about a name as of `now` (ms). @param name normalised */
    name: details,
    /** Identifies what is known about a name: `changes` after it has only what is new. */
    nameTag: detailsTag,
    changes: followed(context.ticker, details),
    /**
     * A file that is made of the names. Everybody who asks within a second or so gets the same one.
     * @param key tells files apart
     */
    file: (key: string, parts: () => Iterable<TextPart>, asker: TextAsker) =>
      files.get(key, parts, Math.ceil((view.info().directory.length + 1) / NAMES_A_LOOKUP), asker),
    /** All active names and when they were activated, newest first. */
    names: () => view.info().directory,
    /** Active names registered for a node, by name; as of `now` (ms). */
    ofNode: (nodeId: string, now = clock()) =>
      [...names.ofNode(nodeId)]
        .sort()
        .flatMap((name) => names.active(name) ?? [])
        .map((row) => ({
          ...presentEntry(context, row, now),
          /** What was registered, where the node says something else by now. */
          registered: registeredFacts(context, row),
        })),
    /** The label of an active name, as lists show it; undefined: the name isn't active. */
    labelOf(name: string) {
      const row = names.active(name);
      return row && shownFacts(context, row).label;
    },
  };
}
