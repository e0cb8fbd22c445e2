import { data, redirect, type AppLoadContext, type LoaderFunctionArgs } from '@remix-run/node';
import { isAppError } from '#server/common/errors.schema.ts';
import type { RegistryEntry } from '@mesh-registry/protocol/rest/registry.schema.ts';
import { refusable } from '#app/lib/refusable.server.ts';
import { Name, NAME_RULE } from '@mesh-registry/protocol/rest/fields.schema.ts';
import {
  loadOfferUptime,
  loadOutages,
  loadShareSince,
  monthUptime,
  sinceActive,
} from '#app/features/uptime/node-uptime.server.ts';
import { PLACE_FRAME } from '#app/features/mesh/place-map.tsx';
import * as hrefs from '#app/lib/hrefs.ts';
import { badgeState, BADGES, type Badge } from './badge.ts';
import { historyOf } from './name-history.ts';
import type { Vacancy } from './name-vacancy.tsx';

/** Outages and lines of the history on the page, unless all are asked for. */
const OUTAGES = 4;
const HISTORY = 6;
/** Outages that are read. */
const OUTAGES_MAX = 1000;

/**
 * GET /registry/:name. For a name that has never been active it is a 404, with a page that says whether it is available.
 */
export const loadName = refusable(async ({ params, request, context }: LoaderFunctionArgs) => {
  const { services, limits, client, origin } = context;
  const asked = params['name'] ?? '';
  const name = asked.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  // Each name has one URL.
  if (name !== asked) return redirect(hrefs.name(name), 301);
  const details = services.registry.name(name);
  const tag = services.registry.nameTag(details);
  const page = { ...details, name, tag, origin: origin() };
  const { entry } = details;
  if (entry) {
    // The uptime may come from the database.
    limits.countLookup(client());
    const all = new URL(request.url).searchParams.get('outages') === 'all';
    return { ...page, entry, ...(await loadActive(context, details, entry, all)) };
  }
  const vacancy = vacancyOf(services, name);
  const rules = { name: NAME_RULE, holdMs: services.config.holdMs };
  const former = Name.safeParse(name).success ? await formerOf(context, name) : null;
  const nearest = former ? null : services.search.nearest.name(name);
  return data(
    { ...page, entry: null, vacancy, rules, former, nearest },
    { status: former ? 200 : 404 },
  );
});

type Details = ReturnType<AppLoadContext['services']['registry']['name']>;

/** What the page of an active name shows beside its live state. */
async function loadActive(
  { services }: AppLoadContext,
  { peer, compute }: Details,
  entry: RegistryEntry,
  all: boolean,
) {
  const { nodeId, activatedAt } = entry;
  const [known, offerUptime, share, month, map] = await Promise.all([
    loadOutages(services, nodeId, OUTAGES_MAX),
    compute && loadOfferUptime(services, compute.id),
    loadShareSince(services, nodeId, activatedAt),
    monthUptime(services, nodeId),
    peer && services.maps.around({ lat: peer.lat, lng: peer.lng, ...PLACE_FRAME }),
  ]);
  const outages =
    known === null || known === 'unavailable' ? known : sinceActive(known, activatedAt);
  const history = historyOf({
    entry,
    compute,
    outages: outages === 'unavailable' ? null : outages,
  });
  const badges = Object.fromEntries(
    BADGES.map((badge) => [badge, badgeState(badge, entry, month).text]),
  ) as Record<Badge, string>;
  const { coordinateGrid: grid, publicUrl } = services.config;
  return {
    /** Nodes whose ids differ from that of its node only in the case of letters. */
    similar: services.nodes.similarTo(nodeId),
    outages:
      outages === null || outages === 'unavailable' || all
        ? outages
        : { ...outages, latest: outages.latest.slice(0, OUTAGES) },
    /** The share of the days shown in which its node was online. */
    share,
    history: all ? history : history.slice(0, HISTORY),
    historyTotal: history.length,
    /** The share of the last 30 days in which its offer was announced; null if it isn't known. */
    announced:
      offerUptime === null || offerUptime === 'unavailable'
        ? null
        : ((offerUptime.strips.find(({ window }) => window === '30d') ?? offerUptime.strips.at(-1))
            ?.uptime ?? null),
    badges,
    map,
    grid,
    shared: publicUrl !== undefined,
  };
}

/** What a name was that isn't active any more; null if it has never been active, or that can't be told now. */
async function formerOf({ services, limits, client }: AppLoadContext, name: string) {
  if (!services.registration.mayBeFormer(name)) return null;
  limits.countLookup(client());
  try {
    const [latest] = await services.registration.activePeriods(name);
    if (!latest || latest.endedAt === null) return null;
    const { kinds, activatedAt, endedAt } = latest;
    return { kinds, activatedAt, endedAt };
  } catch (error) {
    if (isAppError(error) && error.code === 'unavailable') return null;
    throw error;
  }
}

function vacancyOf(services: AppLoadContext['services'], name: string): Vacancy {
  try {
    return services.names.availability(name).reason ?? 'free';
  } catch (error) {
    if (isAppError(error) && error.code === 'unavailable') return 'unknown';
    throw error;
  }
}
