import { redirect, type ActionFunctionArgs } from '@remix-run/node';
import { AppError } from '#server/common/errors.schema.ts';
import type { DecisionKind } from '#server/common/values.schema.ts';
import { textOf } from '#app/lib/form-action.server.ts';
import { handleReviewForm } from '../review.server.ts';

/**
 * The forms of a registration: accept, reject, revoke, undo, take over. Who decides is who is signed in.
 * @param where the page to go to afterwards; `next` is what to open after this one, if anything waits
 */
export function decideAction(
  args: ActionFunctionArgs,
  where: { after: (next: string | null) => string; stay: (note: string) => string },
) {
  const { review } = args.context.services;
  return handleReviewForm(args, async (form, { email: reviewer }) => {
    const note = textOf(form, 'note');
    const intent = textOf(form, 'intent');
    switch (intent) {
      case 'accept':
      case 'reject':
      case 'revoke': {
        const decision: DecisionKind = intent;
        // Own words count; without scripts a kept phrase is only chosen.
        const reason = textOf(form, 'reason').trim() || textOf(form, 'phrase');
        const rev = Number(textOf(form, 'rev')) || undefined;
        await review.decide({ note, reviewer, decision, reason, rev });
        return redirect(where.after(await review.next({ note, reviewer })), 303);
      }
      case 'undo':
        await review.undo({ note, reviewer });
        return redirect(where.stay(note), 303);
      case 'take':
        await review.markOpen({ note, reviewer, takeOver: true });
        return redirect(where.stay(note), 303);
      default:
        throw new AppError('invalid_body', 'This form is not one of this page. Open it again.');
    }
  });
}
