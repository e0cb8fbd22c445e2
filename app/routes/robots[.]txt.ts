import { api } from '#app/lib/rest-endpoint.server.ts';

/**
 * GET /robots.txt: pages may be indexed; answers for machines, the reviewers' pages, and the page of a
 * registration, whose address is its owner's secret, are not for a search.
 */
const { loader, action } = api({
  GET: {
    handle: ({ origin, requestId }) =>
      new Response(
        [
          'User-agent: *',
          'Disallow: /api',
          'Disallow: /review',
          'Disallow: /register/',
          '',
          `Sitemap: ${origin()}/sitemap.xml`,
          '',
        ].join('\n'),
        {
          headers: {
            'content-type': 'text/plain; charset=utf-8',
            'cache-control': 'public, max-age=3600',
            'x-content-type-options': 'nosniff',
            'x-request-id': requestId,
          },
        },
      ),
  },
});
export { loader, action };
