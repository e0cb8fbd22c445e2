import type { MetaDescriptor } from '@remix-run/node';

export const NEW_NAMES_FEED = '/registry/feed.atom';
export const nameFeedPath = (name: string): string => `/registry/${name}/feed.atom`;
export const nodeFeedPath = (id: string): string => `/nodes/${id}/feed.atom`;

/** Lets feed readers find the feed of a page. */
export const feedLink = (title: string, href: string): MetaDescriptor => ({
  tagName: 'link',
  rel: 'alternate',
  type: 'application/atom+xml',
  title,
  href,
});
