import { endpoint } from '#app/lib/rest.server.ts';

/** GET /manifest.webmanifest: what a browser shows of the site that it installs, with the name of the network. */
const { loader, action } = endpoint({
  file: ({ context: { services } }) => ({
    contentType: 'application/manifest+json',
    headers: { 'cache-control': 'public, max-age=3600' },
    body: JSON.stringify({
      name: services.config.network.name,
      description: 'A live map of the mesh, its compute directory and its registry of names.',
      start_url: '/',
      display: 'minimal-ui',
      background_color: '#f5f3ee',
      theme_color: '#fffefb',
      icons: [
        { src: '/favicon.svg', sizes: 'any', type: 'image/svg+xml' },
        { src: '/icon-192.png', sizes: '192x192', type: 'image/png' },
        { src: '/icon-512.png', sizes: '512x512', type: 'image/png', purpose: 'any maskable' },
      ],
    }),
  }),
});
export { loader, action };
