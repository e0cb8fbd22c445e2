import type { RequestContext } from '#server/entry/context.ts';
import type { TaggedFile } from '#server/entry/rest/engine.ts';
import type { Services } from '#server/services.ts';
import { AppError } from '#server/common/errors.schema.ts';
import { Name } from '@mesh-registry/protocol/rest/fields.schema.ts';
import { loadUptime } from '#app/features/uptime/node-uptime.server.ts';
import { CARD } from './badge.ts';
import { cardSvg } from './card-svg.server.ts';

/** The part of the card that shows the node’s place, px: above the name, which may take the whole width. */
const CARD_FRAME = { ...CARD, x: 960, y: 124 };

/** How long others may keep a card, seconds. */
const MAX_AGE_S = 300;

/**
 * The card of a name as PNG. What a client has already isn't drawn again.
 * @throws AppError `not_found` (the name isn't active), `rate_limited` (too many look-ups or cards of this client), `unavailable` (too many cards of all)
 */
export async function nameCard(
  { services, limits, client }: RequestContext,
  asked: string,
  signal: AbortSignal,
): Promise<TaggedFile> {
  const name = Name.safeParse(asked);
  const drawing = name.success ? cardOf(services, name.data) : null;
  if (!drawing) throw new AppError('not_found', 'This name isn’t active, so it has no picture.');
  limits.countLookup(client());
  const { etag, png } = await drawing();
  return {
    contentType: 'image/png',
    headers: {
      'cache-control': `public, max-age=${MAX_AGE_S}`,
      'cross-origin-resource-policy': 'cross-origin',
    },
    body: {
      etag,
      size: 0,
      asIs: true,
      in: async () => ({ etag, body: await png(client(), signal), encoding: 'identity' }),
    },
  };
}

/** Draws the card of a name, unless it isn't active, so that it is there once somebody asks for it. */
export async function prepareCard(
  services: Services,
  name: string,
  signal: AbortSignal,
): Promise<void> {
  const drawing = cardOf(services, name);
  if (drawing) await (await drawing()).png(OURSELVES, signal);
}

/** In the turns of clients, whose names are hashes. */
const OURSELVES = 'ourselves';

/** What makes the picture of a name; null if it isn't active. */
function cardOf(services: Services, name: string) {
  const { entry, peer } = services.registry.name(name);
  if (!entry) return null;
  return async () => {
    const [uptime, map] = await Promise.all([
      loadUptime(services, entry.nodeId),
      peer && services.maps.around({ lat: peer.lat, lng: peer.lng, ...CARD_FRAME }),
    ]);
    const strips = uptime === 'unavailable' ? [] : (uptime?.strips ?? []);
    const measured = strips.filter(({ uptime }) => uptime !== null);
    // A young node has shorter ones only.
    const strip = measured.find(({ window }) => window === '30d') ?? measured.at(-1) ?? null;
    return services.pictures.picture(
      cardSvg({ network: services.config.network.name, entry, map, strip }),
    );
  };
}
