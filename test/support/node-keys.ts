import type { KeyObject } from 'node:crypto';
import { nodeKeyText } from '@mesh-registry/protocol/keys/node-key.ts';
import { signNodeProof, signRequest } from '@mesh-registry/protocol/keys/node-signature.ts';
import { pinInTransaction } from '#server/identity/index.ts';
import type { TestServer } from './server.ts';

/** Requests that the key of a node signs. */

export interface SignedSend {
  method?: string;
  body?: unknown;
  key: KeyObject;
  /** Of the signer's clock, milliseconds. */
  now: number;
  /** More headers, or others than those that were signed. */
  headers?: Record<string, string>;
}

export function sendSigned(
  server: Pick<TestServer, 'url' | 'get'>,
  path: string,
  { method = 'POST', body, key, now, headers }: SignedSend,
): Promise<Response> {
  const text = body === undefined ? null : JSON.stringify(body);
  return server.get(path, {
    method,
    body: text,
    headers: {
      ...(text === null ? {} : { 'content-type': 'application/json' }),
      ...signRequest({ method, url: new URL(path, server.url), body: text }, key, now),
      ...headers,
    },
  });
}

/** The body of a rotation. */
export const rotationTo = (
  next: KeyObject,
  {
    network,
    nodeId,
    previous,
    now,
  }: { network: string; nodeId: string; previous: KeyObject; now: number },
) => {
  const key = nodeKeyText(next);
  const proof = {
    action: 'rotate',
    network,
    nodeId,
    key,
    previous: nodeKeyText(previous),
  } as const;
  return { key, proof: signNodeProof(proof, next, now) };
};

/** Pins a node id, as an accepted registration does. */
export async function pin(server: TestServer, nodeId: string, key: KeyObject): Promise<void> {
  const { context } = server.services;
  const row = await context.db.transaction((tx) =>
    pinInTransaction(
      tx,
      context,
      { nodeId, key: nodeKeyText(key), source: 'registration' },
      context.clock(),
    ),
  );
  if (row) context.live.nodeKeys.apply([row]);
}
