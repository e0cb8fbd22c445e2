import { data, redirect, type AppLoadContext, type LoaderFunctionArgs } from '@remix-run/node';
import { isReservedNodeId } from '@mesh-registry/protocol/rest/fields.schema.ts';
import { NODE_ID_PATTERN } from '@mesh-registry/protocol/values.schema.ts';
import { refusable } from '#app/lib/refusable.server.ts';
import { loadOutages, loadUptime } from '#app/features/uptime/node-uptime.server.ts';
import * as hrefs from '#app/lib/hrefs.ts';
import { PLACE_FRAME } from './place-map.tsx';

/** Outages on the page, unless all are asked for, and then. */
const OUTAGES = 10;
const ALL_OUTAGES = 1000;

/** GET /nodes/:id. For an unknown node it is a 404, with a page that helps to find out why. */
export const loadNode = refusable(async ({ params, request, context }: LoaderFunctionArgs) => {
  const id = params['id'] ?? '';
  if (isReservedNodeId(id) && id !== 'genesis') return redirect(hrefs.node('genesis'), 301);
  const all = new URL(request.url).searchParams.get('outages') === 'all';
  const page = await readNode(context, id, all ? ALL_OUTAGES : OUTAGES);
  // A removed node is known only to whoever may bring it back.
  const found = page.known && (page.hidden === null || page.blocked);
  return data(page, { status: found ? 200 : 404 });
});

export type LoadedNode = Awaited<ReturnType<typeof readNode>>;

async function readNode(
  { services, limits, client, origin }: AppLoadContext,
  id: string,
  maxOutages: number,
) {
  const details = services.nodes.details(id);
  const { genesis, blocked, hidden, peer, computes, names } = details;
  const { coordinateGrid, webhookSecrets, genesis: bootstrap } = services.config;
  // The uptime may come from the database.
  if (peer) limits.countLookup(client());
  const at = peer ?? (bootstrap.placed ? genesis : null);
  const [uptime, outages, map] = await Promise.all([
    peer && loadUptime(services, id),
    peer && loadOutages(services, id, maxOutages),
    at && services.maps.around({ lat: at.lat, lng: at.lng, ...PLACE_FRAME }),
  ]);
  const isKnown =
    genesis !== null ||
    blocked ||
    hidden !== null ||
    peer !== null ||
    computes.length > 0 ||
    names.length > 0;
  return {
    ...details,
    id,
    /** Where the stream of the node goes on. */
    tag: services.nodes.detailsTag(details),
    /** Whether anything is known about the node. */
    known: isKnown,
    /** A node that may have been meant, where nothing is known about this one; null: there is none. */
    nearest: isKnown ? null : services.search.nearest.node(id),
    uptime,
    outages,
    /** The public key that alone can sign for the node; null: it is pinned to none. */
    pinned: services.identity.pinOf(id)?.key ?? null,
    /** Coordinates are rounded to multiples of this many degrees. */
    grid: coordinateGrid,
    /** What is around it; null for a node without a location, or if it could not be drawn. */
    map,
    /** Why no node can have this id, in a sentence; null if the id is valid. */
    invalid: whyInvalidId(id),
    service: { origin: origin(), secret: webhookSecrets.length > 0 },
  };
}

/** Length of an id, characters. */
const MIN = 2;
const MAX = 64;

/** Why no node can have this id, in a sentence; null if the id is valid. */
function whyInvalidId(id: string): string | null {
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
