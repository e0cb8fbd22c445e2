import type { RequestContext } from '#server/entry/context.ts';
import { AppError } from '#server/common/errors.schema.ts';
import { Name } from '@mesh-registry/protocol/rest/fields.schema.ts';
import * as hrefs from '#app/lib/hrefs.ts';
import { FEED_MAX, type Feed, type FeedEntry } from '#app/lib/atom.server.ts';
import { regionText } from '#app/lib/formatters.ts';
import { outageEntries } from './node-feed.server.ts';

/** The names that were activated last. */
export const newNamesFeed = ({ services }: RequestContext): Feed => ({
  title: 'New names',
  subtitle: 'Names of the mesh, as they become active.',
  path: hrefs.newNamesFeed(),
  page: hrefs.registry({ sort: 'newest' }),
  since: new Date(0).toISOString(),
  entries: services.registry
    .names()
    .slice(0, FEED_MAX)
    .map(({ name, label, kinds, class: size, region, activatedAt }) => ({
      id: `name/${name}/active/${activatedAt}`,
      title: label === name ? name : `${name}: ${label}`,
      at: activatedAt,
      text: `${name} is active (${kinds.join(' and ')}, class ${size}, region ${regionText(region)}).`,
      page: hrefs.name(name),
    })),
});

/**
 * When a name became active and stopped being active, and while it was active, when its node went offline and came back.
 * @throws AppError `not_found` (it has never been active), `rate_limited`, `unavailable`
 */
export async function nameFeed(
  { services, limits, client }: RequestContext,
  asked: string,
): Promise<Feed> {
  const parsed = Name.safeParse(asked);
  const name = parsed.success ? parsed.data : '';
  const known = services.names.index.active(name) || services.registration.mayBeFormer(name);
  if (known) limits.countLookup(client());
  const periods = known ? await services.registration.activePeriods(name) : [];
  const [latest] = periods;
  const first = periods.at(-1);
  if (!latest || !first) throw new AppError('not_found', 'This name has never been active.');
  const entries: FeedEntry[] = [];
  for (const { nodeId, kinds, activatedAt, endedAt } of periods) {
    const id = `name/${name}`;
    entries.push({
      id: `${id}/active/${activatedAt}`,
      title: `${name} is active`,
      at: activatedAt,
      text: `A reviewer activated ${name}. It is listed in the registry.`,
      page: hrefs.name(name),
    });
    if (endedAt !== null)
      entries.push({
        id: `${id}/ended/${endedAt}`,
        title: `${name} is no longer active`,
        at: endedAt,
        text: `${name} is no longer listed in the registry.`,
        page: hrefs.name(name),
      });
    // What a blocked node did is hidden.
    if (!kinds.includes('node') || !services.mesh.peer(nodeId)) continue;
    const outages = outageEntries(await services.outages.ofNode(nodeId), {
      id,
      subject: `${name} (${nodeId})`,
      page: hrefs.name(name),
    });
    entries.push(
      ...outages.filter(({ at }) => at >= activatedAt && (endedAt === null || at <= endedAt)),
    );
  }
  return {
    title: name,
    subtitle: `When ${name} was activated, and when its node went offline and came back.`,
    path: hrefs.nameFeed(name),
    page: hrefs.name(name),
    since: first.activatedAt,
    entries: entries.sort((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : 0)),
  };
}
