import { useEffect, useState } from 'react';
import type { PendingDecision } from '#server/review/index.ts';
import type { RegistrationDetails } from '#server/review/index.ts';
import { DECIDED, DECIDING } from '../labels.ts';

export interface Feedback {
  text: string;
  /** The decision didn't take effect, and not because the reviewer undid it. */
  unexpected: boolean;
}

/** The outcome of the reviewer's own decisions, as each is made, undone, or takes effect. */
export function useDecisionFeedback(mine: PendingDecision[]): Feedback | null {
  const [seen, setSeen] = useState(mine);
  const [gone, setGone] = useState<PendingDecision[]>([]);
  const [feedback, setFeedback] = useState<Feedback | null>(null);
  if (mine !== seen) {
    setSeen(mine);
    const made = mine.find((one) => !includes(seen, one));
    if (made)
      setFeedback({
        text: `${DECIDING[made.decision]} ${made.name}. You can undo it for a few seconds.`,
        unexpected: false,
      });
    const ended = seen.filter((one) => !includes(mine, one));
    if (ended.length > 0) setGone(ended);
  }
  useEffect(() => {
    for (const decision of gone)
      void outcomeOf(decision).then((outcome) => outcome && setFeedback(outcome));
  }, [gone]);
  return feedback;
}

const includes = (list: PendingDecision[], one: PendingDecision) =>
  list.some(({ note, decision }) => note === one.note && decision === one.decision);

/** @returns null where there is no answer: the page's lists show it as well */
async function outcomeOf(decision: PendingDecision): Promise<Feedback | null> {
  try {
    const { trpc } = await import('#app/lib/trpc.client.ts');
    const { registration } = await trpc.review.queue.get.query({ note: decision.note });
    return describeOutcome(decision, registration);
  } catch {
    return null;
  }
}

function describeOutcome(
  { name, decision, by, rev: decidedRev }: PendingDecision,
  { status, rev, decidedBy, rejectionReason }: RegistrationDetails,
): Feedback {
  const wanted = decision === 'accept' ? 'active' : 'rejected';
  if (status === wanted && decidedBy === by)
    return { text: `${DECIDED[decision]} ${name}.`, unexpected: false };
  const failed = `Your decision on ${name} didn’t take effect`;
  if (status !== 'active' && status !== 'rejected')
    return decidedRev !== null && decidedRev !== rev
      ? {
          text: `${failed}: its operator changed the registration in the meantime. Review it again.`,
          unexpected: true,
        }
      : { text: `Undone: ${name} is waiting again.`, unexpected: false };
  if (status === 'active' && decision === 'revoke')
    return { text: `Undone: ${name} stays active.`, unexpected: false };
  const verb = status === 'active' ? 'accepted' : 'rejected';
  const reason = rejectionReason === null ? '' : ` (${rejectionReason})`;
  return { text: `${failed}: ${decidedBy} had already ${verb} it${reason}.`, unexpected: true };
}
