import { redirect, type ActionFunctionArgs } from '@remix-run/node';
import { DECISIONS } from '#server/review/values.schema.ts';
import { formValues, unknownIntent } from '#app/lib/form-action.server.ts';
import { handleReviewForm } from '../review.server.ts';

/**
 * The forms of a registration: accept, reject, revoke, undo, take over.
 * @param where the page to go to: after a decision, with the note to open next if any is left; and after the
 *   others, which stay with their registration
 */
export function decisionAction(
  args: ActionFunctionArgs,
  where: { decided: (next: string | null) => string; stay: (note: string) => string },
) {
  const { queue } = args.context.api.review;
  return handleReviewForm(args, async (form) => {
    const { intent, note = '', ...values } = formValues(form);
    const decision = DECISIONS.find((one) => one === intent);
    if (decision) {
      await queue.decide({ ...values, note, decision });
      return redirect(where.decided(await queue.next({ note })), 303);
    }
    if (intent === 'undo') await queue.undo({ note });
    else if (intent === 'take-over') await queue.markOpen({ note, takeOver: true });
    else throw unknownIntent();
    return redirect(where.stay(note), 303);
  });
}
