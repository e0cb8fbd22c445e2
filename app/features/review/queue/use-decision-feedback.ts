import { useState } from 'react';
import type { RecentDecision } from '#server/review/index.ts';
import { DECIDED, registrations } from '../labels.ts';
import { groupDecisions, type DecisionGroup } from './decision-groups.ts';

/**
 * What to announce as the reviewer's own decisions are made and undone, in this tab or another.
 * @param mine those that can still be undone, newest first
 * @param updatedAt when the page was loaded, by the service's clock
 */
export function useDecisionFeedback(mine: RecentDecision[], updatedAt: string): string | null {
  const [seen, setSeen] = useState(mine);
  const [feedback, setFeedback] = useState<string | null>(null);
  if (mine !== seen) {
    setSeen(mine);
    const [made] = groupDecisions(mine.filter((one) => !includes(seen, one)));
    const [undone] = groupDecisions(
      seen.filter((one) => !includes(mine, one) && one.undoUntil > updatedAt),
    );
    if (made)
      setFeedback(
        `${DECIDED[made.decisions[0].decision]} ${subjectOf(made)}. You can undo it for a few seconds.`,
      );
    else if (undone) setFeedback(undoneText(undone));
  }
  return feedback;
}

function undoneText(group: DecisionGroup): string {
  const subject = subjectOf(group);
  if (group.decisions[0].decision === 'revoke') return `Undone: ${subject} is active again.`;
  return `Undone: ${subject} ${group.notes.length === 1 ? 'is' : 'are'} waiting again.`;
}

const subjectOf = ({ decisions: [{ name }], notes }: DecisionGroup) =>
  notes.length === 1 ? name : registrations(notes.length);

const includes = (list: RecentDecision[], one: RecentDecision) =>
  list.some(({ note, undoUntil }) => note === one.note && undoUntil === one.undoUntil);
