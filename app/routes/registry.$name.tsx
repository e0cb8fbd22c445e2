import { data, redirect, type LoaderFunctionArgs, type MetaFunction } from '@remix-run/node';
import { isAppError } from '#server/common/errors.schema.ts';
import { NAME_RULE } from '#protocol/rest/fields.schema.ts';
import { feedLink, nameFeedPath } from '#app/features/feeds/paths.ts';
import {
  loadOfferUptime,
  loadUptime,
  monthUptime,
} from '#app/features/uptime/node-uptime.server.ts';
import { LOCATION_FRAME } from '#app/features/mesh/location-map.tsx';
import { badgeState, badgeTexts } from '#app/features/registry/badge.ts';
import { CARD, cardAlt, cardPath } from '#app/features/registry/card.ts';
import { NamePage } from '#app/features/registry/name-page.tsx';
import type { Vacancy } from '#app/features/registry/name-vacancy.tsx';
import { pageMeta } from '#app/lib/page-meta.ts';

export async function loader({ params, context: { services, origin } }: LoaderFunctionArgs) {
  const asked = params['name'] ?? '';
  const name = asked.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  // Each name has one URL.
  if (name !== asked) return redirect(`/registry/${encodeURIComponent(name)}`, 301);
  const details = services.registry.name(name);
  const page = { ...details, name, origin: origin() };
  const { entry } = details;
  if (entry) {
    const { peer, compute } = details;
    const [uptime, offerUptime, share, map] = await Promise.all([
      loadUptime(services, entry.nodeId),
      compute && loadOfferUptime(services, compute.id),
      monthUptime(services, entry.nodeId),
      peer && services.geography.around({ lat: peer.lat, lng: peer.lng, ...LOCATION_FRAME }),
    ]);
    const badges = badgeTexts(entry, share);
    const { coordinateGrid: grid, publicUrl } = services.config;
    return {
      ...page,
      entry,
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
}

function vacancyOf(services: LoaderFunctionArgs['context']['services'], name: string): Vacancy {
  try {
    return services.registry.availability(name).reason ?? 'free';
  } catch (error) {
    if (isAppError(error) && error.code === 'unavailable') return 'unknown';
    throw error;
  }
}

export { offlineLoader as clientLoader } from '#app/lib/stale-while-offline.ts';

export const meta: MetaFunction<typeof loader> = ({ data }) => {
  if (!data?.entry)
    return [
      ...pageMeta('Name not active', 'Whether a name that isn’t active is available.'),
      { name: 'robots', content: 'noindex' },
    ];
  const { entry, name, origin } = data;
  return [
    ...pageMeta(
      entry.label === name ? name : `${name}: ${entry.label}`,
      `${name} is an active name of the mesh (${entry.kinds.join(' and ')}, class ${entry.class}, region ${entry.region}). Current state: ${badgeState(entry).text}.`,
      `${origin}/registry/${name}`,
      // Other sites fetch the picture by its whole URL, which only the operator knows for sure.
      data.shared ? { ...CARD, path: cardPath(name), alt: cardAlt(entry) } : undefined,
    ),
    feedLink(name, nameFeedPath(name)),
  ];
};

export default NamePage;
