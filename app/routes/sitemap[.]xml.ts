import { docsPaths } from '#app/features/docs/reference.server.ts';
import * as hrefs from '#app/lib/hrefs.ts';
import { endpoint } from '#app/lib/rest.server.ts';
import { escapeXml } from '#app/lib/xml.ts';

/** Pages that are always there, beside the documentation. */
const PAGES = [
  hrefs.map(),
  hrefs.computes(),
  hrefs.registry(),
  hrefs.register(),
  hrefs.network(),
  hrefs.status(),
];

/**
 * The protocol at sitemaps.org allows 50,000 URLs. If there are more names, this lists the newest: search
 * engines know the others already, and /registry links to all of them.
 */
const LIMIT = 50_000;

/** GET /sitemap.xml: the pages and the active names. */
const { loader, action } = endpoint({
  file({ context }) {
    const { services, origin } = context;
    const base = escapeXml(origin());
    const pages = [...PAGES, ...docsPaths(context)];
    const urls = [
      ...pages.map((path) => `<url><loc>${base}${path}</loc></url>`),
      ...services.registry
        .names()
        .slice(0, LIMIT - pages.length)
        .map(
          ({ name, activatedAt }) =>
            `<url><loc>${base}${escapeXml(hrefs.name(name))}</loc><lastmod>${activatedAt}</lastmod></url>`,
        ),
    ];
    return {
      contentType: 'application/xml; charset=utf-8',
      headers: { 'cache-control': 'public, max-age=3600' },
      body: `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${urls.join('\n')}\n</urlset>\n`,
    };
  },
});
export { loader, action };
