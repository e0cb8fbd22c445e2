import { useEffect, useRef, useState } from 'react';
import type { Opened } from '#server/review/review-desk.ts';
import type { PendingDecision } from '#server/review/decisions.ts';
import { DOING, DONE } from '../labels.ts';

export interface Outcome {
  text: string;
  /** It did not take effect, and not because it was undone here: to be seen, not only heard. */
  unexpected: boolean;
}

/** What came of the reviewer's own decisions, as each is made, undone, or takes effect. */
export function useOutcomes(mine: PendingDecision[]): Outcome | null {
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const before = useRef(mine);

  useEffect(() => {
    const earlier = before.current;
    before.current = mine;
    const has = (list: PendingDecision[], one: PendingDecision) =>
      list.some(({ note, decision }) => note === one.note && decision === one.decision);
    const made = mine.find((one) => !has(earlier, one));
    if (made)
      setOutcome({
        text: `${DOING[made.decision]} ${made.name}. It can be undone for some seconds.`,
        unexpected: false,
      });
    for (const gone of earlier.filter((one) => !has(mine, one)))
      void import('#app/lib/trpc.client.ts')
        .then(({ trpc }) => trpc.review.queue.get.query({ note: gone.note }))
        .then(
          ({ registration }) => setOutcome(outcomeOf(gone, registration)),
          // The lists tell as well.
          () => undefined,
        );
  }, [mine]);
  return outcome;
}

function outcomeOf(
  { name, decision, by, rev: of }: PendingDecision,
  { status, rev, decidedBy, rejectionReason }: Opened,
): Outcome {
  const wanted = decision === 'accept' ? 'active' : 'rejected';
  if (status === wanted && decidedBy === by)
    return { text: `${DONE[decision]} ${name}.`, unexpected: false };
  if (status !== 'active' && status !== 'rejected' && of !== null && of !== rev)
    return {
      text: `Your decision on ${name} did not take effect: its operator has changed the registration meanwhile. Look at it as it is now.`,
      unexpected: true,
    };
  if (status !== 'active' && status !== 'rejected')
    return { text: `Undone: ${name} waits again.`, unexpected: false };
  if (status === 'active' && decision === 'revoke')
    return { text: `Undone: ${name} stays active.`, unexpected: false };
  const why = rejectionReason === null ? '' : ` (${rejectionReason})`;
  return {
    text: `Your decision on ${name} did not take effect: it was already ${status === 'active' ? 'accepted' : 'rejected'} by ${decidedBy}${why}.`,
    unexpected: true,
  };
}
