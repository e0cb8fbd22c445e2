import type { RequestContext } from '#server/entry/context.ts';
import type { TextPart } from '#server/live/index.ts';
import { docsPaths } from '#app/features/docs/reference.server.ts';
import * as hrefs from '#app/lib/hrefs.ts';
import { endpoint } from '#app/lib/rest.server.ts';
import { escapeXml } from '#app/lib/xml.ts';

/** Pages that are always there, beside the documentation. */
const PAGES = [
  hrefs.map(),
  hrefs.computes(),
  hrefs.registry(),
  hrefs.trends(),
  hrefs.register(),
  hrefs.status(),
];

/**
 * The protocol at sitemaps.org allows 50,000 URLs. If there are more names, this lists the newest: search
 * engines know the others already, and /registry links to all of them.
 */
const LIMIT = 50_000;

/** Names in a part of it, which is made in one turn of the event loop: a millisecond. */
const PART = 1000;

function* sitemap(context: RequestContext): Generator<TextPart> {
  const base = escapeXml(context.origin());
  // A network without signed settings has nothing to say about itself.
  const network = context.services.config.truthFile === undefined ? [] : [hrefs.network()];
  const pages = [...PAGES, ...network, ...docsPaths(context)];
  const names = context.services.registry.names().slice(0, LIMIT - pages.length);
  const head =
    '<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">';
  yield { text: [head, ...pages.map((path) => `<url><loc>${base}${path}</loc></url>`)].join('\n') };
  for (let at = 0; at < names.length; at += PART)
    yield {
      text: names
        .slice(at, at + PART)
        .map(
          ({ name, activatedAt }) =>
            `\n<url><loc>${base}${escapeXml(hrefs.name(name))}</loc><lastmod>${activatedAt}</lastmod></url>`,
        )
        .join(''),
    };
  yield { text: '\n</urlset>\n' };
}

/** GET /sitemap.xml: the pages and the active names. */
const { loader, action } = endpoint({
  async file({ context, request }) {
    const { services, limits, client, origin } = context;
    return {
      contentType: 'application/xml; charset=utf-8',
      headers: { 'cache-control': 'public, max-age=3600' },
      body: await services.registry.file(`sitemap ${origin()}`, () => sitemap(context), {
        client: client(),
        signal: request.signal,
        count: (lookups) => limits.countLookup(client(), lookups),
      }),
    };
  },
});
export { loader, action };
