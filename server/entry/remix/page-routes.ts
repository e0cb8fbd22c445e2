import type { ServerBuild } from '@remix-run/node';
import { createRouteFinder, endpointOf, pathOfRoute } from '../rest/resource-routes.ts';

/** A page of the Remix build, as the server that sends it sees it. */
export interface PageRoute {
  /** `/registry/:name` */
  path: string;
  /** The methods that it has. */
  methods: string[];
  /** Whether its rendering depends on the URL alone: its `handle`, or that of a route around it, says so. */
  shared: boolean;
}

/** The route of every address that is no page's. */
const MISSING = '/*';

/** The pages of a build. What a route doesn't say of itself it is not: a page whose URL is a secret must not be shared. */
export function pageRoutes(build: ServerBuild): PageRoute[] {
  const layouts = new Set(Object.values(build.routes).map((route) => route?.parentId));
  return Object.entries(build.routes).flatMap(([id, route]) =>
    !route || layouts.has(id) || endpointOf(build, id) || pathOfRoute(build, id) === MISSING
      ? []
      : [
          {
            path: pathOfRoute(build, id),
            methods: ['GET', 'HEAD', 'OPTIONS', ...(route.module.action ? ['POST'] : [])],
            shared: isShared(build, id),
          },
        ],
  );
}

function isShared(build: ServerBuild, id: string | undefined): boolean {
  const route = id === undefined ? undefined : build.routes[id];
  if (!route) return false;
  const { shared } = (route.module.handle ?? {}) as { shared?: unknown };
  return shared === true || isShared(build, route.parentId);
}

/** Finds the page of a path, or of the data that scripts fetch for it: `/status`, `/status.data`, `/_root.data`. */
export function createPageFinder(build: ServerBuild): (pathname: string) => PageRoute | undefined {
  const find = createRouteFinder(pageRoutes(build));
  return (pathname) => find(pathname.replace(/\.data$/, '').replace(/^\/_root$/, '/'))?.route;
}
