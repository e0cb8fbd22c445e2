import type { RecentDecision } from '#server/review/index.ts';
import type { FormError } from '#app/lib/form-error.ts';
import { FormAlert } from '#app/ui/form.tsx';
import { useDecisionFeedback } from './use-decision-feedback.ts';

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
