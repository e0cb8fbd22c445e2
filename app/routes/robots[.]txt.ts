import { endpoint } from '#app/lib/rest.server.ts';

/**
 * GET /robots.txt: search engines may index the public pages, but not the API, the reviewers' pages, or the page
 * of a registration, whose URL is its operator's secret. Whatever has a query is a part of a page that they know.
 */
const { loader, action } = endpoint({
  file: ({ context: { origin } }) => ({
    contentType: 'text/plain; charset=utf-8',
    headers: { 'cache-control': 'public, max-age=3600' },
    body: [
      'User-agent: *',
      'Disallow: /api',
      'Disallow: /review',
      'Disallow: /register/',
      'Disallow: /*?',
      '',
      `Sitemap: ${origin()}/sitemap.xml`,
      '',
    ].join('\n'),
  }),
});
export { loader, action };
