import type { RequestContext } from '#server/entry/context.ts';
import { AppError } from '#server/common/errors.schema.ts';
import * as hrefs from '#app/lib/hrefs.ts';
import type { Feed, FeedEntry } from '#app/lib/atom.server.ts';
import { roughly } from '#app/lib/formatters.ts';

/** When a node went offline and came back. @throws AppError `not_found`, `rate_limited`, `unavailable` */
export async function nodeFeed(
  { services, limits, client }: RequestContext,
  id: string,
): Promise<Feed> {
  const peer = services.mesh.peer(id);
  if (!peer) throw new AppError('not_found', 'No node with this ID is on the map.');
  limits.countLookup(client());
  const page = hrefs.node(id);
  const subject = peer.label === id ? id : `${peer.label} (${id})`;
  return {
    title: subject,
    subtitle: `When this node went offline and came back.`,
    path: hrefs.nodeFeed(id),
    page,
    since: peer.joinedAt,
    entries: outageEntries(await services.outages.ofNode(id), { id: `node/${id}`, subject, page }),
  };
}

type Outage = Awaited<ReturnType<RequestContext['services']['outages']['ofNode']>>[number];

/**
 * Each outage as one entry, and another once it is over; the newest first.
 * @param id begins the entries' ids
 * @param subject what was offline, as readers know it
 */
export function outageEntries(
  outages: Outage[],
  { id, subject, page }: { id: string; subject: string; page: string },
): FeedEntry[] {
  return outages.flatMap(({ offlineSince, backAt }) => {
    const since = offlineSince.toISOString();
    const offline = {
      id: `${id}/offline/${since}`,
      title: `${subject} is offline`,
      at: since,
      text: `Its last heartbeat was at ${inWords(since)}.`,
      page,
    };
    if (backAt === null) return offline;
    const back = backAt.toISOString();
    const lasted = roughly(backAt.getTime() - offlineSince.getTime());
    return [
      {
        id: `${id}/back/${back}`,
        title: `${subject} is back online`,
        at: back,
        text: `It has been sending heartbeats again since ${inWords(back)}. It was offline for ${lasted}.`,
        page,
      },
      offline,
    ];
  });
}

/** "2026-07-17 12:00 UTC": a feed does not know its reader's time zone. */
const inWords = (at: string) => `${at.slice(0, 16).replace('T', ' ')} UTC`;
