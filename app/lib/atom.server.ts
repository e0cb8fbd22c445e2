import type { RequestContext } from '#server/entry/context.ts';
import type { TaggedFile } from '#server/entry/rest/engine.ts';
import { escapeXml } from './xml.ts';

const ATOM_TYPE = 'application/atom+xml';

/** A feed as RFC 4287 describes it. Paths begin with a slash. */
export interface Feed {
  /** Without the name of the network. */
  title: string;
  subtitle: string;
  /** Path of the feed, which also identifies it. */
  path: string;
  /** Path of the page that it belongs to. */
  page: string;
  /** When what it is about began, ISO 8601: its last update while it has no entries. */
  since: string;
  /** The newest first. */
  entries: FeedEntry[];
}

export interface FeedEntry {
  /** Identifies it for ever, under its feed's service: `node/node_macmini/offline/2026-07-17T12:00:00.000Z`. */
  id: string;
  title: string;
  /** ISO 8601 */
  at: string;
  text: string;
  /** Path of the page that it leads to. */
  page: string;
}

/** Entries of a feed, at most. */
export const FEED_MAX = 50;

/** How long readers and proxies may keep a feed, seconds. */
const MAX_AGE_S = 300;

/** A feed as a file: readers ask again with its ETag. */
export function feedFile(
  { origin, services }: Pick<RequestContext, 'origin' | 'services'>,
  feed: Feed,
): TaggedFile {
  return {
    contentType: `${ATOM_TYPE}; charset=utf-8`,
    headers: {
      'cache-control': `public, max-age=${MAX_AGE_S}`,
      'content-security-policy': "default-src 'none'",
    },
    body: atom(feed, origin(), services.config.network.name),
  };
}

/** @param origin scheme and host of the service */
function atom(
  { title, subtitle, path, page, since, entries }: Feed,
  origin: string,
  network: string,
): string {
  const listed = entries.slice(0, FEED_MAX);
  const link = (rel: string, type: string, to: string) =>
    `<link rel="${rel}" type="${type}" href="${escapeXml(origin + to)}"/>`;
  // The address may change its scheme; a tag URI does not have one.
  const idOf = (id: string) => escapeXml(`tag:${new URL(origin).hostname},2026:${id}`);
  const text = (name: string, content: string) => `<${name}>${escapeXml(content)}</${name}>`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<feed xmlns="http://www.w3.org/2005/Atom">',
    `<id>${idOf(path.slice(1))}</id>`,
    text('title', `${title} · ${network}`),
    text('subtitle', subtitle),
    text('updated', listed[0]?.at ?? since),
    `<author>${text('name', network)}</author>`,
    link('self', ATOM_TYPE, path),
    link('alternate', 'text/html', page),
    ...listed.flatMap((entry) => [
      '<entry>',
      `<id>${idOf(entry.id)}</id>`,
      text('title', entry.title),
      text('updated', entry.at),
      text('published', entry.at),
      link('alternate', 'text/html', entry.page),
      text('summary', entry.text),
      '</entry>',
    ]),
    '</feed>',
    '',
  ].join('\n');
}
