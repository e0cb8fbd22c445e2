import { useLocation, useRouteLoaderData } from '@remix-run/react';
import { useState, type ReactNode } from 'react';
import { exact, PageMoment, useTextAt } from '#app/lib/clock.ts';
import * as hrefs from '#app/lib/hrefs.ts';
import { UNDO_MS } from '@mesh-registry/protocol/values.schema.ts';
import type { RecentDecision } from '#server/review/index.ts';
import type { FormError } from '#app/lib/form-error.ts';
import card from '#app/ui/card.module.css';
import { ActionForm, FormAlert } from '#app/ui/form.tsx';
import { Tick } from '#app/ui/status-icon.tsx';
import text from '#app/ui/text.module.css';
import { DECIDED, DECIDING, registrations } from '../labels.ts';
import type { loadDashboard } from '../review.server.ts';
import { ShortcutKey } from '#app/ui/shortcut-setting.tsx';
import styles from './recent-decisions.module.css';

/** The reviewer's own decisions of the last seconds: what is announced about them, and how they are undone. */

interface DecisionFeedbackProps {
  /** The reviewer's own decisions that can still be undone. */
  mine: RecentDecision[];
  /** When the page was loaded, by the service's clock. */
  updatedAt: string;
  /** Of a form that isn't shown on the page. */
  problem: FormError | undefined;
}

/** Announces the reviewer's own decisions. */
export function DecisionFeedback({ mine, updatedAt, problem }: DecisionFeedbackProps) {
  return (
    <>
      <p className="visually-hidden" aria-live="polite">
        {useDecisionFeedback(mine, updatedAt)}
      </p>
      <FormAlert problem={problem} />
    </>
  );
}

/**
 * What to announce as the reviewer's own decisions are made and undone, in this tab or another.
 * @param mine those that can still be undone, newest first
 * @param updatedAt when the page was loaded, by the service's clock
 */
function useDecisionFeedback(mine: RecentDecision[], updatedAt: string): string | null {
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

/** Decisions that were made together. */
interface DecisionGroup {
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

/**
 * For a form whose answer was lost, once the page has loaded again and still shows the registration as it was.
 * @param note of the registration that the page shows
 */
export const lostFormMessage =
  (note: string | undefined) =>
  ({ note: sent, intent }: FormError['values']): string =>
    // The page shows elsewhere whether it was done to another registration, and who has this one open.
    sent === note && intent !== 'take-over'
      ? 'The service didn’t answer, and your form was not processed. Send it again.'
      : 'The service didn’t answer at first. This page now shows whether your form was processed.';

interface UndoBarProps {
  /** The reviewer's own decisions that can still be undone, newest first. */
  mine: RecentDecision[];
  /** Where the forms go. */
  action: string;
  /** The page to stay on; without it the one where the decision was made opens. */
  back?: string;
}

/** The reviewer's own decisions of the last seconds, each with a button that undoes it; those made together have one. */
export function UndoBar({ mine, action, back }: UndoBarProps) {
  if (mine.length === 0) return null;
  return (
    <ul className={styles.bar} aria-label="Decisions that can be undone">
      {groupDecisions(mine).map((group, index) => {
        const { note, decision, undoUntil } = group.decisions[0];
        const subject = subjectOf(group);
        return (
          <li key={note} className={`${card.floating} ${styles.decision}`}>
            <Tick />
            <span className={styles.text}>
              <strong>{subject}</strong> {DECIDED[decision].toLowerCase()}
            </span>
            <ActionForm
              intent="undo"
              action={action}
              preventScrollReset
              problem={undefined}
              submitLabel={
                <>
                  Undo{' '}
                  <span className="visually-hidden">
                    {DECIDING[decision]} {subject}
                  </span>{' '}
                  {index === 0 && back === undefined && <ShortcutKey>u</ShortcutKey>}
                </>
              }
            >
              {group.notes.map((each) => (
                <input key={each} type="hidden" name="note" value={each} />
              ))}
              {back !== undefined && <input type="hidden" name="back" value={back} />}
            </ActionForm>
            <UndoTime until={undoUntil} />
          </li>
        );
      })}
    </ul>
  );
}

/** The time that is left, as a bar that gets shorter; without scripts, which count the seconds, when it ends. */
function UndoTime({ until }: { until: string }) {
  const left = useTextAt((now) => {
    const share = (Date.parse(until) - now) / UNDO_MS;
    return `${Math.round(Math.min(1, Math.max(0, share)) * 90)}`;
  });
  return (
    <>
      <svg className={`${styles.time} needs-scripts`} viewBox="0 0 90 4" aria-hidden="true">
        <rect width="90" height="4" rx="2" />
        <rect width={left} height="4" rx="2" />
      </svg>
      <time className={`${text.secondary} without-scripts`} dateTime={until}>
        until {exact(until).slice(11)}
      </time>
    </>
  );
}

/** The same on every other page of the dashboard: one may have gone there since. It stays on that page. */
export function UndoElsewhere() {
  const mine = useRouteLoaderData<typeof loadDashboard>('routes/review')?.mine;
  if (!mine) return null;
  return (
    <PageMoment.Provider value={Date.parse(mine.updatedAt)}>
      <Elsewhere {...mine} />
    </PageMoment.Provider>
  );
}

function Elsewhere({ decisions, updatedAt }: { decisions: RecentDecision[]; updatedAt: string }) {
  const { pathname, search } = useLocation();
  const left = useTextAt((now) =>
    decisions.filter(({ undoUntil }) => Date.parse(undoUntil) > now).length.toString(),
  );
  // Newest first: the oldest of them end first.
  const mine = decisions.slice(0, Number(left));
  return (
    <>
      <DecisionFeedback mine={decisions} updatedAt={updatedAt} problem={undefined} />
      <FloatingBars>
        <UndoBar mine={mine} action={hrefs.review.queue({ index: '' })} back={pathname + search} />
      </FloatingBars>
    </>
  );
}

/** Stays in sight at the bottom of the window while there is anything in it. */
export const FloatingBars = (props: { className?: string; children: ReactNode }) => (
  <div className={`${styles.bars} ${props.className ?? ''}`}>{props.children}</div>
);
