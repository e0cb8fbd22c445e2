import type { Announce, Ping } from '@mesh-registry/client/index.ts';
import { NODE_FIELD_NAMES, type NodeFieldName } from '@mesh-registry/protocol/rest/mesh.schema.ts';
import type { Config } from '../config/load.ts';
import type { Env } from '../config/paths.ts';
import { readFreeSlots } from './free-slots.ts';

/** What the configuration makes the agent send: only what the operator has set. */

/** The body of a heartbeat; null without the section [map], which is the consent to be on the map. */
export function heartbeatBody({ node, map }: Config): Ping | null {
  if (!map) return null;
  const set: Partial<Record<NodeFieldName, unknown>> = { ...node, ...map };
  const fields = NODE_FIELD_NAMES.flatMap((name) =>
    set[name] === undefined ? [] : [[name, set[name]] as const],
  );
  return { nodeId: node.id, lat: map.lat, lng: map.lng, ...(Object.fromEntries(fields) as object) };
}

type Offer = Announce['computes'][number];

/**
 * The offers whose free slots are known. One whose file or command fails is left out: whatever the agent said of it
 * would be made up, and the directory shows it as offline by itself.
 */
export async function announcement(
  { node, compute }: Config,
  env: Env,
  signal: AbortSignal,
): Promise<{ body: Announce | null; problems: string[] }> {
  const problems: string[] = [];
  const offers = await Promise.all(
    compute.map(async ({ free_slots, ...offer }): Promise<Offer[]> => {
      const slots = await readFreeSlots(free_slots, env, signal);
      if (slots.ok) return [{ ...withoutUndefined(offer), freeSlots: slots.freeSlots }];
      problems.push(`The free slots of ${offer.name} are not known: ${slots.message}.`);
      return [];
    }),
  );
  const computes = offers.flat();
  const body: Announce | null =
    computes.length === 0
      ? null
      : { nodeId: node.id, ...(node.label !== undefined && { label: node.label }), computes };
  return { body, problems };
}

const withoutUndefined = <T extends object>(value: T) =>
  Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined)) as {
    [Key in keyof T]: Exclude<T[Key], undefined>;
  };
