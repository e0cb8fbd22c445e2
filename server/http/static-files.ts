import { serveStatic } from '@hono/node-server/serve-static';
import { Context, type Env } from 'hono';
import { existsSync, readdirSync } from 'node:fs';
import { AppError } from '#server/common/errors.schema.ts';

/**
 * The build's client files, by the paths under which browsers ask for them. Browsers cache hashed files forever and
 * revalidate the others. The files are listed once: a build does not change while it is served.
 * @returns what responds with the file of a path, or null if there is none
 */
export function createStaticFiles(
  directory: string,
): (request: Request, path: string) => (() => Promise<Response>) | null {
  const paths = new Set(existsSync(directory) ? pathsIn(directory) : []);
  const serve = serveStatic<Env>({ root: directory, precompressed: true });
  return (request, path) => {
    if (!['GET', 'HEAD'].includes(request.method) || !paths.has(path)) return null;
    return async () => {
      const context = new Context<Env, string>(request, { path, env: {} });
      const hashed = path.startsWith('/assets/');
      context.header('cache-control', hashed ? 'public, max-age=31536000, immutable' : 'no-cache');
      context.header('x-content-type-options', 'nosniff');
      // An embedded map in a sandboxed frame has an origin of its own, and modules and fonts are loaded with CORS.
      context.header('access-control-allow-origin', '*');
      const response = await serve(context, () => Promise.resolve());
      if (!response) throw new AppError('not_found', 'This file does not exist any more.');
      return response;
    };
  };
}

/** `/favicon.ico`, `/assets/root-CkT3.js`. What else the build writes beside them is not for browsers. */
const pathsIn = (directory: string): string[] =>
  ['', '/assets'].flatMap((parent) =>
    readdirSync(`${directory}${parent}`, { withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name }) => `${parent}/${name}`),
  );
