import type { ServerBuild } from '@remix-run/node';
import { notFoundReply } from './rest/engine.ts';
import {
  decoded,
  endpointOf,
  pathOfRoute,
  type BuildSource,
  type Way,
} from './rest/resource-routes.ts';

/**
 * Each path has one spelling, apart from a trailing slash. Remix's router also accepts other letter cases,
 * doubled slashes, percent-encoded letters and `.data`: with them a request would get past a proxy's rule for `/metrics`.
 * So another spelling of a page is moved to the right one, and any other is not found.
 */
export function moved(build: BuildSource): Way {
  if (typeof build === 'function') return () => null;
  const spellingOf = createSpellings(build);
  return (request, _, { incoming }) => {
    const spelling = spellingOf(incoming.url ?? '/', () => request.url);
    if (spelling === 'right') return null;
    const isMoved = spelling !== 'unknown' && ['GET', 'HEAD'].includes(request.method);
    return {
      route: 'other spelling',
      respond: (context) =>
        isMoved
          ? {
              status: 301,
              headers: { location: spelling.href, 'x-request-id': context.requestId },
              body: null,
            }
          : notFoundReply(request, context),
    };
  };
}

type Spelling =
  | 'right'
  /** Another spelling of a path for programs, or of a page's data: it does not exist. */
  | 'unknown'
  /** Another spelling of a page, which is at `href`. */
  | { href: string };

interface Route {
  segments: string[];
  /** It ends in `*`. */
  splat: boolean;
  resource: boolean;
}

/** What a client may send before the path: the target in absolute form (RFC 9112, section 3.2.2). */
const ORIGIN = /^https?:\/\/[^/?#]*/;

/** @returns the spelling of a request, by its target as it was sent and its URL as it was parsed */
function createSpellings(build: ServerBuild): (target: string, url: () => string) => Spelling {
  const routes: Route[] = Object.keys(build.routes).map((id) => {
    const segments = segmentsOf(pathOfRoute(build, id));
    const splat = segments.at(-1) === '*';
    return {
      segments: splat ? segments.slice(0, -1) : segments,
      splat,
      resource: endpointOf(build, id) !== undefined,
    };
  });
  // Routers try the most exact route first.
  const rank = ({ splat, segments }: Route) =>
    (splat ? 1000 : 0) + segments.filter(isParameter).length - segments.length / 100;
  routes.sort((a, b) => rank(a) - rank(b));
  const exact = new Set(
    routes
      .filter(({ splat, segments }) => !splat && !segments.some(isParameter))
      .map(({ segments }) => `/${segments.join('/')}`),
  );

  return (given, url) => {
    const target = given.startsWith('/') ? given : given.replace(ORIGIN, '');
    const end = target.indexOf('?');
    const sent = (end < 0 ? target : target.slice(0, end)) || '/';
    // Most requests are right at the price of one look-up.
    if (exact.has(sent) && (end < 0 || !target.includes('_data', end))) return 'right';
    if (!sent.startsWith('/')) return 'right';
    const { pathname, search, searchParams } = new URL(url());
    const data = pathname.endsWith('.data') ? '.data' : '';
    const segments = segmentsOf(data ? pathname.slice(0, -data.length) : pathname);
    const route = routes.find((candidate) => matches(candidate, segments));
    if (route?.resource && data) return 'unknown';
    const path = canonicalPath(route, segments);
    const isRight = sent === `${path}${data}` || (path !== '/' && sent === `${path}/${data}`);
    if (isRight && (route?.resource || !searchParams.has('_data'))) return 'right';
    if (route?.resource || data) return 'unknown';
    if (!searchParams.has('_data')) return { href: `${path}${search}` };
    // Remix once used it to request a page's data. It still tries to answer, and fails.
    searchParams.delete('_data');
    const others = searchParams.toString();
    return { href: others === '' ? path : `${path}?${others}` };
  };
}

const segmentsOf = (path: string) => path.split('/').filter((segment) => segment !== '');
const isParameter = (segment: string) => segment.startsWith(':');

/** Whether any router could take the path for this route. */
const matches = ({ segments, splat }: Route, given: string[]) =>
  (splat ? given.length >= segments.length : given.length === segments.length) &&
  segments.every(
    (segment, at) => isParameter(segment) || segment === decoded(given[at] ?? '').toLowerCase(),
  );

const canonicalPath = (route: Route | undefined, given: string[]) =>
  `/${given
    .map((segment, at) => {
      const own = route?.segments[at];
      return own === undefined || isParameter(own) ? segment : own;
    })
    .join('/')}`;
