import type { RecentDecision } from '#server/review/index.ts';

/** Decisions that were made together. */
export interface DecisionGroup {
  decisions: [RecentDecision, ...RecentDecision[]];
  notes: string[];
}

/** Decisions in groups of those that were made together, in the order of the first of each. */
export function groupDecisions(decisions: RecentDecision[]): DecisionGroup[] {
  const groups = new Map<string, DecisionGroup>();
  for (const one of decisions) {
    const key = `${one.decision} ${one.undoUntil} ${one.reason}`;
    const group = groups.get(key);
    if (group) {
      group.decisions.push(one);
      group.notes.push(one.note);
    } else groups.set(key, { decisions: [one], notes: [one.note] });
  }
  return [...groups.values()];
}
