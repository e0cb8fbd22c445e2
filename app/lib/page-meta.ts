import type { MetaDescriptor } from '@remix-run/node';

/** Title, description, and what other sites show of a link to the page. */
export function pageMeta(
  title: string,
  description: string,
  /** Scheme and host of this service, and the page's path: where known, for links from elsewhere. */
  url?: string,
): MetaDescriptor[] {
  return [
    { title: `${title} · Mesh Registry` },
    { name: 'description', content: description },
    { property: 'og:site_name', content: 'Mesh Registry' },
    { property: 'og:type', content: 'website' },
    { property: 'og:title', content: title },
    { property: 'og:description', content: description },
    { name: 'twitter:card', content: 'summary' },
    ...(url
      ? [
          { property: 'og:url', content: url },
          { property: 'og:image', content: new URL('/icon-512.png', url).href },
          { tagName: 'link', rel: 'canonical', href: url },
        ]
      : []),
  ];
}
