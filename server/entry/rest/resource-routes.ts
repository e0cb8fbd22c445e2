import type { AppLoadContext, ServerBuild } from '@remix-run/node';
import type { Endpoint } from './endpoint.ts';

export type Handler = (
  request: Request,
  context: AppLoadContext,
  params?: Record<string, string>,
) => Response | Promise<Response>;

export interface ResourceRoute {
  /** As Remix and Hono both write it: `/registry/:name/badge.svg`, `/api/*`. */
  path: string;
  handler: Handler;
  /** The same without a standard Request and Response, if the route offers that. */
  endpoint: Endpoint | undefined;
}

/** The whole path of a route, with those of its parents; empty for the root. */
export function pathOfRoute(build: ServerBuild, id: string | undefined): string {
  const route = id === undefined ? undefined : build.routes[id];
  if (!route) return '';
  return `${pathOfRoute(build, route.parentId)}${route.path ? `/${route.path}` : ''}`;
}

/** Whether a route has no component: it is for programs. */
export function isResourceRoute(build: ServerBuild, id: string): boolean {
  const module = build.routes[id]?.module;
  return module?.loader !== undefined && !('default' in module);
}

/** The routes of the Remix build without a component: the REST interface, downloads, and what programs read. */
export function resourceRoutes(build: ServerBuild): ResourceRoute[] {
  return Object.values(build.routes).flatMap((route) => {
    if (!route || !isResourceRoute(build, route.id)) return [];
    const { loader, action } = route.module;
    const handler: Handler = (request, context, params = {}) => {
      const reads = ['GET', 'HEAD', 'OPTIONS'].includes(request.method);
      const run = reads || !action ? loader : action;
      return run?.({ request, params, context }) as Response | Promise<Response>;
    };
    const { endpoint } = loader as { endpoint?: Endpoint };
    return [{ path: pathOfRoute(build, route.id), handler, endpoint }];
  });
}

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
  const API_PATHS = new RegExp(`^(?:${patterns.join('|')})/?$`);
  return (pathname) => API_PATHS.test(pathname);
}
