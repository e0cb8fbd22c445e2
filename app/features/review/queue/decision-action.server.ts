import { redirect, type ActionFunctionArgs } from '@remix-run/node';
import { AppError, isAppError } from '#server/common/errors.schema.ts';
import { DECISIONS } from '@mesh-registry/protocol/values.schema.ts';
import { formValues, refusedForm, unknownIntent } from '#app/lib/form-action.server.ts';
import { safeValues } from '#app/lib/form-error.ts';
import { handleReviewForm, ownPath } from '../review.server.ts';
import { readSelectionValue, SELECTION_FORM } from './use-selection.ts';

/**
 * The forms of a registration: accept, reject, revoke, undo, ask, assign, remark, take over; and the one that rejects several. Undoing may say
 * which page to go `back` to.
 * @param where the page to go to: after a decision, with the note to open next if any is left; after the others,
 *   which stay with their registration; and after undoing several decisions
 */
export function decisionAction(
  args: ActionFunctionArgs,
  where: {
    decided: (next: string | null) => string;
    stay: (note: string) => string;
    undone: () => string;
  },
) {
  const { queue } = args.context.api.review;
  return handleReviewForm(args, async (form) => {
    const { intent, note = '', back, ...values } = formValues(form);
    if (intent === SELECTION_FORM) return rejectSelected(args, form);
    const decision = DECISIONS.find((one) => one === intent);
    if (decision) {
      // Once it is decided, it has no place in the queue.
      const next = await queue.next({ note });
      await queue.decide({ ...values, note, decision });
      return redirect(where.decided(next), 303);
    }
    const notes = form.getAll('note').map(String);
    if (intent === 'undo') {
      if (notes.length > 1) await queue.undoTogether({ notes });
      else await queue.undo({ note });
      const there = notes.length > 1 ? where.undone() : where.stay(note);
      return redirect(ownPath(back ?? null) ?? there, 303);
    }
    if (intent === 'ask') await queue.ask({ note, text: values['text'] ?? '' });
    else if (intent === 'assign') await queue.assign({ note, to: values['to'] ?? '' });
    else if (intent === 'remark')
      await queue.remark({ note, text: values['text'] ?? '', seen: values['seen'] ?? '' });
    else if (intent === 'take-over') await queue.markOpen({ note, takeOver: true });
    else throw unknownIntent();
    return redirect(where.stay(note), 303);
  });
}

/** Rejects the ticked registrations. The page that follows shows what has become of each. */
async function rejectSelected({ context }: ActionFunctionArgs, form: FormData) {
  const selected = form.getAll('selected').map(String);
  const rows = selected.flatMap((value) => readSelectionValue(value) ?? []);
  const { reason, phrase } = formValues(form);
  try {
    if (rows.length === 0)
      throw new AppError('invalid_body', 'Tick the registrations to reject, then send it again.');
    const { queue } = context.api.review;
    return { rejectedTogether: await queue.rejectTogether({ rows, reason, phrase }) };
  } catch (error) {
    if (!isAppError(error)) throw error;
    context.error = error;
    // Without scripts the page is made anew: with the same rows ticked.
    return refusedForm(error, { ...safeValues(form), selected: selected.join('\n') });
  }
}
