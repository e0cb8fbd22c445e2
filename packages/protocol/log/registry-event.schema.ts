import { z } from 'zod';

/** What the registry's blocks contain: the history that everybody may know. */

/** The kind of such a block. */
export const REGISTRY_BLOCK = 'registry';

/**
 * One event. A later release may write others, and more fields: whoever reads an older block, or a newer one, takes what
 * they know.
 */
export const RegistryEvent = z.object({
  /** Tells events apart; says nothing else. */
  id: z.string().max(64),
  /** When it happened, ISO 8601. It may be before the event before: several servers write the history. */
  at: z.iso.datetime(),
  /** A name was `activated`, `revoked` by a reviewer, or `released` by its operator; a node `blocked` or `unblocked`. */
  event: z.string().max(32),
  /** Events of a name only. */
  name: z.string().max(64).optional(),
  nodeId: z.string().max(64),
  /** The kinds of the name: node, compute, or both. */
  kinds: z.array(z.string().max(32)).max(8).optional(),
});
export type RegistryEvent = z.infer<typeof RegistryEvent>;

/** The body of a block, as JSON. */
export const RegistryBody = z.object({ events: z.array(RegistryEvent) });
export type RegistryBody = z.infer<typeof RegistryBody>;
