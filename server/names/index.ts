import type { ServiceContext } from '#server/context.ts';
import { alternatives } from './alternatives.ts';
import { availability } from './availability.ts';
import { NameIndex } from './name-index.ts';
import { ReservedNameIndex } from './reserved-name-index.ts';
import type { ReservedNamesQuery } from './reserved-names.schema.ts';
import { listReserved, releaseName, reserveName } from './reserved-names.ts';

export { whyRefused } from './availability.ts';
export { looksLikeGenesis } from './look-alikes.ts';
export type { NameIndex } from './name-index.ts';
export type { ReservedName } from './reserved-names.ts';

/** Who holds a name, which names nobody may register, and which are free. */
export function createNames(context: ServiceContext) {
  const index = new NameIndex(context.live);
  const reservedNames = new ReservedNameIndex(context.db);
  context.live.syncWith(() => reservedNames.refresh());
  const own = { ...context, names: index, reservedNames };
  return {
    /** The names in the read model, for rooms above. */
    index,
    /** Whether a registration with this name would be accepted now. @throws AppError `unavailable` */
    availability: (name: string) => availability(own, name),
    /** Available names similar to one that is not. @throws AppError `unavailable` */
    alternatives: (name: string, near?: readonly string[]) => alternatives(own, name, near),
    listReserved: (query: ReservedNamesQuery) => listReserved(context, query),
    /** @returns the name as it is reserved */
    reserve: (input: Parameters<typeof reserveName>[1], reviewer: string) =>
      reserveName(own, input, reviewer),
    release: (input: Parameters<typeof releaseName>[1], reviewer: string) =>
      releaseName(own, input, reviewer),
  };
}
