import { data, redirect, type AppLoadContext, type LoaderFunctionArgs } from '@remix-run/node';
import { isAppError } from '#server/common/errors.schema.ts';
import { refusable } from '#app/lib/refusable.server.ts';
import { NAME_RULE } from '@mesh-registry/protocol/rest/fields.schema.ts';
import {
  loadOfferUptime,
  loadUptime,
  monthUptime,
} from '#app/features/uptime/node-uptime.server.ts';
import { PLACE_FRAME } from '#app/features/mesh/place-map.tsx';
import * as hrefs from '#app/lib/hrefs.ts';
import { badgeState, BADGES, type Badge } from './badge.ts';
import type { Vacancy } from './name-vacancy.tsx';

/** GET /registry/:name. For a name that isn't active it is a 404, with a page that says whether it is available. */
export const loadName = refusable(async ({ params, context }: LoaderFunctionArgs) => {
  const { services, limits, client, origin } = context;
  const asked = params['name'] ?? '';
  const name = asked.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  // Each name has one URL.
  if (name !== asked) return redirect(hrefs.name(name), 301);
  const details = services.registry.name(name);
  const page = { ...details, name, origin: origin() };
  const { entry } = details;
  if (entry) {
    const { peer, compute } = details;
    // The uptime may come from the database.
    limits.countLookup(client());
    const [uptime, offerUptime, share, map] = await Promise.all([
      loadUptime(services, entry.nodeId),
      compute && loadOfferUptime(services, compute.id),
      monthUptime(services, entry.nodeId),
      peer && services.maps.around({ lat: peer.lat, lng: peer.lng, ...PLACE_FRAME }),
    ]);
    const badges = Object.fromEntries(
      BADGES.map((badge) => [badge, badgeState(badge, entry, share).text]),
    ) as Record<Badge, string>;
    const { coordinateGrid: grid, publicUrl } = services.config;
    return {
      ...page,
      entry,
      /** Nodes whose ids differ from that of its node only in the case of letters. */
      similar: services.nodes.similarTo(entry.nodeId),
      uptime,
      offerUptime,
      badges,
      map,
      grid,
      shared: publicUrl !== undefined,
    };
  }
  const vacancy = vacancyOf(services, name);
  const rules = { name: NAME_RULE, holdMs: services.config.holdMs };
  return data({ ...page, entry: null, vacancy, rules }, { status: 404 });
});

function vacancyOf(services: AppLoadContext['services'], name: string): Vacancy {
  try {
    return services.names.availability(name).reason ?? 'free';
  } catch (error) {
    if (isAppError(error) && error.code === 'unavailable') return 'unknown';
    throw error;
  }
}
