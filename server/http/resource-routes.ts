import type { AppLoadContext, ServerBuild } from '@remix-run/node';

export type Handler = (request: Request, context: AppLoadContext) => Response | Promise<Response>;

export interface ResourceRoute {
  /** As Remix and Hono both write it: `/registry/:name/badge.svg`, `/api/*`. */
  path: string;
  handler: Handler;
}

/** The routes of the Remix build without a component: the REST interface, downloads, and what programs read. */
export function resourceRoutes(build: ServerBuild): ResourceRoute[] {
  const pathOf = (id: string | undefined): string => {
    const route = id === undefined ? undefined : build.routes[id];
    if (!route) return '';
    return `${pathOf(route.parentId)}${route.path ? `/${route.path}` : ''}`;
  };
  return Object.values(build.routes).flatMap((route) => {
    if (!route) return [];
    const { loader, action } = route.module;
    if (!loader || 'default' in route.module) return [];
    const handler: Handler = (request, context) => {
      const reads = ['GET', 'HEAD', 'OPTIONS'].includes(request.method);
      const run = reads || !action ? loader : action;
      return run({ request, params: {}, context }) as Response | Promise<Response>;
    };
    return [{ path: pathOf(route.id), handler }];
  });
}

/** Whether a route can be called without Remix's router: it has no parameter, or only a `*` at its end. */
export const isMountable = ({ path }: ResourceRoute): boolean => !/:|\*./.test(path);

/**
 * Tells the paths of resource routes from those of pages. It compares whole paths, because a page's path can
 * end like any of them: `/review/registrations/:note`.
 */
export function createApiPathTest(build: ServerBuild): (pathname: string) => boolean {
  const patterns = resourceRoutes(build).map(({ path }) =>
    path
      .split('/')
      .map((segment) =>
        segment.startsWith(':') ? '[^/]+' : segment.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'),
      )
      .join('/')
      .replace(/\/\\\*$/, '(?:/.*)?'),
  );
  const API_PATHS = new RegExp(`^(?:${patterns.join('|')})$`);
  return (pathname) => API_PATHS.test(pathname);
}
