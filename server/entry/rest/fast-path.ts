import type { IncomingMessage } from 'node:http';
import { NodeRequest, rawHeader } from '#server/http/endpoint-request.ts';
import type { Methods } from './engine.ts';
import type { ResourceRoute } from './resource-routes.ts';

/** The host of a request in its one spelling, so that there is nothing in it to refuse. */
const ORDINARY_HOST = /^[a-z0-9.-]+(?::\d{1,5})?$/;

interface FoundEndpoint {
  path: string;
  endpoint: Methods;
  request: NodeRequest;
}

/**
 * Finds the requests that an endpoint replies to directly: its exact path, an ordinary Host, GET, HEAD, or POST with the
 * length of its body. They are nearly all requests of nodes and of clients that poll, and need no standard Request and
 * Response, which would cost more than the endpoint itself. All other requests are left to the other ways in, which
 * know the rules for them.
 */
export function createFastPath(
  routes: ResourceRoute[],
): (incoming: IncomingMessage) => FoundEndpoint | null {
  const endpoints = new Map<string, Methods>();
  for (const { path, endpoint } of routes)
    if (!('file' in endpoint) && !('notFound' in endpoint) && !path.includes(':'))
      endpoints.set(path, endpoint);

  return (incoming) => {
    const { method, url = '/' } = incoming;
    const end = url.indexOf('?');
    const path = end < 0 ? url : url.slice(0, end);
    const endpoint = endpoints.get(path);
    if (!endpoint || !(method === 'GET' || method === 'HEAD' || isSized(incoming))) return null;
    const host = rawHeader(incoming, 'host');
    return host !== null && ORDINARY_HOST.test(host)
      ? { path, endpoint, request: new NodeRequest(incoming, host) }
      : null;
  };
}

const isSized = (incoming: IncomingMessage) =>
  incoming.method === 'POST' && rawHeader(incoming, 'content-length') !== null;
