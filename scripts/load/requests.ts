import type { KeyObject } from 'node:crypto';
import { signRequest } from '@mesh-registry/protocol/keys/node-signature.ts';
import { simulatedKey } from '../fleet/plan.ts';
import type { LoadOptions } from './generator.ts';

/** More than one process of the service verifies in a second. */
const SIGNED_PER_SECOND = 8000;

/** Answers with the bytes of the next request: of nodes in random order, as a fleet sends its heartbeats. */
export function createRequests(options: LoadOptions): () => Buffer {
  const { url, method, nodes, signed } = options;
  const random = (below: number) => Math.floor(Math.random() * below);
  if (signed) return signedRequests(options, () => random(nodes));
  const variants = method === 'POST' || url.includes('{n}') ? nodes : 1;
  const requests = new Array<Buffer | undefined>(variants);
  return () => {
    const n = random(variants);
    return (requests[n] ??= requestOf(options, n));
  };
}

/**
 * Most are made before the load begins: signing takes longer than sending, and a signature is accepted once. They are sent
 * in the order in which they were signed: the service accepts none of a node that is earlier than its last one.
 */
function signedRequests(options: LoadOptions, randomNode: () => number): () => Buffer {
  const keys = new Map<number, KeyObject>();
  const next = () => {
    const n = randomNode();
    const key = keys.get(n) ?? simulatedKey(0, `node_${n}`);
    keys.set(n, key);
    return requestOf(options, n, key);
  };
  const prepared = Array.from({ length: options.seconds * SIGNED_PER_SECOND }, next).reverse();
  return () => prepared.pop() ?? next();
}

function requestOf({ url, method, headers }: LoadOptions, n: number, key?: KeyObject): Buffer {
  const target = new URL(url.replace('{n}', String(n)));
  const body = method === 'POST' ? JSON.stringify(heartbeatOf(n)) : null;
  const all: Record<string, string | number> = {
    host: target.host,
    ...headers,
    ...(key && signRequest({ method, url: target, body }, key)),
    ...(body !== null && { 'content-length': body.length }),
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(
    `${method} ${target.pathname}${target.search} HTTP/1.1\r\n${lines.join('')}\r\n${body ?? ''}`,
  );
}

/** The heartbeat of a node, without a signature. */
export const heartbeatOf = (n: number) => ({
  nodeId: `node_${n}`,
  lat: ((n * 7) % 170) - 85,
  lng: ((n * 13) % 360) - 180,
  label: `node ${n}`,
  class: 'M',
  region: 'EU',
  status: 'online',
});
