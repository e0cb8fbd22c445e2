import { useEffect, useState } from 'react';
import type {
  PendingDecision,
  RegistrationDetails,
  RejectionOutcome,
} from '#server/review/index.ts';
import { DECIDED, DECIDING, registrations } from '../labels.ts';
import { groupDecisions, type DecisionGroup } from './decision-groups.ts';

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
    const [made] = groupDecisions(mine.filter((one) => !includes(seen, one)));
    if (made)
      setFeedback({
        text: `${DECIDING[made.decisions[0].decision]} ${subjectOf(made)}. You can undo it for a few seconds.`,
        unexpected: false,
      });
    const ended = seen.filter((one) => !includes(mine, one));
    if (ended.length > 0) setGone(ended);
  }
  useEffect(() => {
    for (const group of groupDecisions(gone))
      void outcomeOf(group).then((outcome) => outcome && setFeedback(outcome));
  }, [gone]);
  return feedback;
}

const subjectOf = ({ decisions: [{ name }], notes }: DecisionGroup) =>
  notes.length === 1 ? name : registrations(notes.length);

const includes = (list: PendingDecision[], one: PendingDecision) =>
  list.some(({ note, decision }) => note === one.note && decision === one.decision);

/** @returns null where there is no answer: the page's lists show it as well */
async function outcomeOf({ decisions, notes }: DecisionGroup): Promise<Feedback | null> {
  const [decision] = decisions;
  try {
    const { trpc } = await import('#app/lib/trpc.client.ts');
    if (notes.length > 1) {
      const outcomes: RejectionOutcome[] = [];
      for (let from = 0; from < notes.length; from += NOTES_ASKED)
        outcomes.push(
          ...(await trpc.review.queue.outcomes.query({
            notes: notes.slice(from, from + NOTES_ASKED),
          })),
        );
      return describeOutcomes(decision, outcomes);
    }
    const { registration } = await trpc.review.queue.get.query({ note: decision.note });
    return describeOutcome(decision, registration);
  } catch {
    return null;
  }
}

/** Notes in one query: more would make too long a URL for some proxies. */
const NOTES_ASKED = 50;
/** Names in one message. */
const NAMES_SHOWN = 5;

/** Of rejections that were made together. */
function describeOutcomes({ by }: PendingDecision, outcomes: RejectionOutcome[]): Feedback {
  const others = outcomes.filter(
    ({ status, decidedBy }) => status !== 'rejected' || decidedBy !== by,
  );
  const all = registrations(outcomes.length);
  if (others.length === 0) return { text: `Rejected ${all}.`, unexpected: false };
  if (
    others.every(({ status }) => status === 'pending_review') &&
    others.length === outcomes.length
  )
    return { text: `Undone: ${all} are waiting again.`, unexpected: false };
  const names = others.slice(0, NAMES_SHOWN).map(({ name }) => name);
  const more = others.length > names.length ? ` and ${others.length - names.length} more` : '';
  return {
    text: `${others.length} of ${all} were not rejected: ${names.join(', ')}${more}. Their operator or another reviewer was first. Review them again.`,
    unexpected: true,
  };
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
