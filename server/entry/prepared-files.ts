import { setTimeout as sleep } from 'node:timers/promises';
import { UNDO_MS } from '@mesh-registry/protocol/values.schema.ts';
import type { Services } from '#server/services.ts';
import { resourceRoutes, type BuildSource } from './rest/resource-routes.ts';

/** Names that wait, at most: reviewers accept up to 200 at once. What isn't prepared is made for whoever asks first. */
const WAITING_MAX = 1000;
/** How long names are collected, milliseconds. Several processes that share a folder seldom begin together. */
const PAUSE_MS = [500, 1500] as const;

/**
 * Makes what will be asked for once a name is active, such as its card, before anybody asks: one name after the other, and
 * only when nobody can undo the decision any more.
 * @returns ends that: what waits for its turn is left out
 */
export function prepareFiles(services: Services, build: BuildSource): () => Promise<void> {
  const { clock, log } = services.context;
  const ending = new AbortController();
  /** When the decision about each name can no longer be undone, milliseconds; the first is the next. */
  const waiting = new Map<string, number>();
  services.registry.activated.on((name) => {
    waiting.delete(name);
    if (waiting.size < WAITING_MAX) waiting.set(name, clock() + UNDO_MS);
  });
  // In development the routes change while the server runs.
  const routes = typeof build === 'function' ? [] : resourceRoutes(build);
  const prepare = routes.flatMap(({ endpoint }) =>
    'file' in endpoint && endpoint.prepare ? [endpoint.prepare] : [],
  );

  const prepareDue = async () => {
    for (const [name, at] of waiting) {
      if (at > clock() || ending.signal.aborted) return;
      waiting.delete(name);
      for (const make of prepare)
        await make(services, name, ending.signal).catch((error: unknown) => {
          log.debug({ err: error }, 'a file could not be prepared');
        });
    }
  };
  const working = (async () => {
    const [least, most] = PAUSE_MS;
    while (!ending.signal.aborted) {
      await prepareDue();
      const ms = least + Math.random() * (most - least);
      await sleep(ms, undefined, { signal: ending.signal, ref: false }).catch(() => undefined);
    }
  })();
  return () => {
    ending.abort();
    return working;
  };
}
