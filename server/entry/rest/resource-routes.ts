import type { HttpBindings } from '@hono/node-server';
import type { ServerBuild } from '@remix-run/node';
import type { RequestContext } from '../context.ts';
import { respond, type Endpoint, type Params, type Reply } from './engine.ts';

/** A way in: how it handles a request, or null if the request is not for it. */
export type Way = (
  request: Request,
  /** The path in the request's URL. */
  pathname: string,
  node: HttpBindings,
) => Handling<Response | Reply> | null;

export interface Handling<Sent> {
  /**
   * Under which the request is counted and logged: a pattern, never the URL, because a URL can hold the id of a
   * registration. Null: it is neither counted nor, unless it fails, logged.
   */
  route: string | null;
  /** An error that it throws is sent as JSON. */
  respond: (context: RequestContext) => Sent | Promise<Sent>;
}

/** Remix's build, or in development a function that returns the newest one, whose routes change while the server runs. */
export type BuildSource = ServerBuild | (() => Promise<ServerBuild>);

/** A route of the Remix build that says what it answers programs. */
export interface ResourceRoute {
  /** `/api/mesh`, `/registry/:name/badge.svg`, `/api/*` */
  path: string;
  endpoint: Endpoint;
}

/** The whole path of a route, with those of its parents; empty for the root. */
export function pathOfRoute(build: ServerBuild, id: string | undefined): string {
  const route = id === undefined ? undefined : build.routes[id];
  if (!route) return '';
  return `${pathOfRoute(build, route.parentId)}${route.path ? `/${route.path}` : ''}`;
}

/** What a route answers programs, or undefined if it is a page. */
export function endpointOf(build: ServerBuild, id: string): Endpoint | undefined {
  return (build.routes[id]?.module.loader as { endpoint?: Endpoint } | undefined)?.endpoint;
}

/** The routes of the Remix build for programs: the REST interface, downloads, and files such as robots.txt. */
export function resourceRoutes(build: ServerBuild): ResourceRoute[] {
  return Object.keys(build.routes).flatMap((id) => {
    const endpoint = endpointOf(build, id);
    return endpoint ? [{ path: pathOfRoute(build, id), endpoint }] : [];
  });
}

/** The endpoints under every other spelling of a request, with parameters in their path, files, and 404 below /api. */
export function rest(routes: ResourceRoute[]): Way {
  const findRoute = createRouteFinder(routes);
  return (request, pathname) => {
    const found = findRoute(pathname);
    if (!found) return null;
    const { route, params } = found;
    return {
      route: route.path,
      respond: (context) => respond(route.endpoint, request, context, params),
    };
  };
}

/**
 * Makes the function that finds the route of a path. It compares whole paths, because a page's path can end like
 * any of them: `/review/registrations/:note`. A trailing slash is ignored.
 */
export function createRouteFinder<Route extends { path: string }>(
  routes: Route[],
): (pathname: string) => { route: Route; params: Params } | null {
  const exact = new Map(routes.map((route) => [route.path, { route, params: {} }]));
  const patterns = routes
    .filter(({ path }) => /[:*]/.test(path))
    // `/api/*` comes last.
    .sort((a, b) => Number(a.path.endsWith('*')) - Number(b.path.endsWith('*')))
    .map((route) => ({ route, pattern: patternOf(route.path) }));

  return (pathname) => {
    const path = withoutSlash(pathname);
    const found = exact.get(path);
    if (found) return found;
    for (const { route, pattern } of patterns) {
      const match = pattern.exec(path);
      if (!match) continue;
      const groups = Object.entries(match.groups ?? {});
      return {
        route,
        params: Object.fromEntries(groups.map(([name, value]) => [name, decoded(value)])),
      };
    }
    return null;
  };
}

/** The path without one trailing slash, which is ignored, as in Remix's router. */
export const withoutSlash = (pathname: string): string =>
  pathname.endsWith('/') ? pathname.slice(0, -1) : pathname;

function patternOf(path: string): RegExp {
  const source = path
    .split('/')
    .map((segment) =>
      segment.startsWith(':')
        ? `(?<${segment.slice(1)}>[^/]+)`
        : segment.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'),
    )
    .join('/')
    .replace(/\/\\\*$/, '(?:/.*)?');
  return new RegExp(`^${source}$`);
}

/** A part of a path as Remix decodes it. What cannot be decoded stays: no parameter is valid that has a percent sign in it. */
export function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
