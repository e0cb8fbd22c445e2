import { serveStatic } from '@hono/node-server/serve-static';
import type { Env, Hono } from 'hono';
import { existsSync, readdirSync } from 'node:fs';

/** Serves the build's client files. Browsers cache hashed files forever and revalidate the others. */
export function mountClientFiles<E extends Env>(app: Hono<E>, directory: string): void {
  if (!existsSync(directory)) return;
  const files = serveStatic<E>({
    root: directory,
    precompressed: true,
    onFound: (path, c) => {
      const hashed = path.includes('/assets/');
      c.header('cache-control', hashed ? 'public, max-age=31536000, immutable' : 'no-cache');
      c.header('x-content-type-options', 'nosniff');
      // An embedded map in a sandboxed frame has an origin of its own, and modules and fonts are loaded with CORS.
      c.header('access-control-allow-origin', '*');
    },
  });
  app.get('/assets/*', files);
  for (const entry of readdirSync(directory, { withFileTypes: true }))
    if (entry.isFile()) app.get(`/${entry.name}`, files);
}
