import type { IncomingMessage } from 'node:http';
import { NodeRequest, rawHeader, type EndpointRequest } from '#server/http/endpoint-request.ts';
import type { Handling } from '../way.ts';
import { replyTo, type Methods, type Reply } from './engine.ts';
import type { ResourceRoute } from './resource-routes.ts';

/** The host of a request in its one spelling, so that there is nothing in it to refuse. */
const ORDINARY_HOST = /^[a-z0-9.-]+(?::\d{1,5})?$/;

/** A request that is handled without a standard Request and Response. */
interface FastHandling extends Handling<Reply> {
  request: EndpointRequest;
}

/**
 * The fast way in: the exact path of an endpoint, an ordinary Host, GET, HEAD, or POST with the length of its body. These
 * are nearly all requests of nodes and of programs that poll, and the standard Request and Response would cost more than
 * the endpoint itself. Every other request takes the other ways, which know the rules for it.
 */
export function fast(routes: ResourceRoute[]): (incoming: IncomingMessage) => FastHandling | null {
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
    if (host === null || !ORDINARY_HOST.test(host)) return null;
    const request = new NodeRequest(incoming, host);
    return { route: path, request, respond: (context) => replyTo(endpoint, request, context, {}) };
  };
}

const isSized = (incoming: IncomingMessage) =>
  incoming.method === 'POST' && rawHeader(incoming, 'content-length') !== null;
