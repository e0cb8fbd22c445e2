import type { MetaDescriptor } from '@remix-run/node';
import { NETWORK_NAME, pageTitle } from './network.tsx';

/** A picture of a page, as other sites show it beside a link. */
export interface CardImage {
  path: string;
  /** Size, px. */
  width: number;
  height: number;
  alt: string;
}

/** Title, description, and what other sites show of a link to the page. */
export function pageMeta(
  title: string,
  description: string,
  /** Scheme and host of this service, and the page's path: where known, for links from elsewhere. */
  url?: string,
  /** Shown with a link to the page; by default the icon. */
  card?: CardImage,
): MetaDescriptor[] {
  return [
    { title: pageTitle(title) },
    { name: 'description', content: description },
    { property: 'og:site_name', content: NETWORK_NAME },
    { property: 'og:type', content: 'website' },
    { property: 'og:title', content: title },
    { property: 'og:description', content: description },
    { name: 'twitter:card', content: url && card ? 'summary_large_image' : 'summary' },
    ...(url
      ? [
          { property: 'og:url', content: url },
          { property: 'og:image', content: new URL(card?.path ?? '/icon-512.png', url).href },
          ...(card
            ? [
                { property: 'og:image:type', content: 'image/png' },
                { property: 'og:image:width', content: String(card.width) },
                { property: 'og:image:height', content: String(card.height) },
                { property: 'og:image:alt', content: card.alt },
              ]
            : []),
          { tagName: 'link', rel: 'canonical', href: url },
        ]
      : []),
  ];
}

/** Lets feed readers find the feed of a page. */
export const feedLink = (title: string, href: string): MetaDescriptor => ({
  tagName: 'link',
  rel: 'alternate',
  type: 'application/atom+xml',
  title,
  href,
});
