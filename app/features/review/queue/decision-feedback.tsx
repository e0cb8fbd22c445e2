import type { PendingDecision } from '#server/review/index.ts';
import type { FormError } from '#app/lib/form-error.ts';
import { FormAlert } from '#app/ui/form.tsx';
import text from '#app/ui/text.module.css';
import { useDecisionFeedback } from './use-decision-feedback.ts';

interface DecisionFeedbackProps {
  /** The reviewer's own decisions that can still be undone. */
  mine: PendingDecision[];
  /** Of a form that isn't shown on the page. */
  problem: FormError | undefined;
}

/** The outcome of the reviewer's own decisions: announced, and shown where a decision didn't take effect. */
export function DecisionFeedback({ mine, problem }: DecisionFeedbackProps) {
  const feedback = useDecisionFeedback(mine);
  return (
    <>
      <p className="visually-hidden" aria-live="polite">
        {feedback && !feedback.unexpected && feedback.text}
      </p>
      {feedback?.unexpected && (
        <p className={text.error} role="alert">
          {feedback.text}
        </p>
      )}
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
