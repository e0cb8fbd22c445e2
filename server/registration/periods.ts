import type { RegistrationRow } from '#db/schema/index.ts';
import type { ReviewIndex } from '#server/review/index.ts';

/** A time in which a name was active, as everybody may know it. */
export interface ActivePeriod {
  nodeId: string;
  kinds: RegistrationRow['kinds'];
  activatedAt: string;
  /** Null while it is active. */
  endedAt: string | null;
}

/** Periods that are listed, at most. */
const LIMIT = 5;

/** The latest times in which a name was or is active, newest first, at most 5. From memory. @param name normalised */
export function activePeriods(index: ReviewIndex, name: string): ActivePeriod[] {
  return index
    .ofName(name)
    .flatMap(({ nodeId, kinds, status, activatedAt, decidedAt, updatedAt }) =>
      activatedAt === null
        ? []
        : {
            nodeId,
            kinds,
            activatedAt: activatedAt.toISOString(),
            endedAt: status === 'active' ? null : (decidedAt ?? updatedAt).toISOString(),
          },
    )
    .sort((a, b) => (a.activatedAt < b.activatedAt ? 1 : -1))
    .slice(0, LIMIT);
}
