import { redirect, type ActionFunctionArgs } from '@remix-run/node';
import { formValues, runIntent } from '#app/lib/form-action.server.ts';
import { handleReviewForm } from '../review.server.ts';

/** The forms of the reviewer's own account. */
export function accountAction(args: ActionFunctionArgs) {
  const { own } = args.context.api.review.accounts;
  return handleReviewForm(args, async (form) => {
    const { name = '', password = '', newPassword = '', session = '' } = formValues(form);
    const thenReload = async (done: Promise<void>) => {
      await done;
      return redirect('/review/account', 303);
    };
    return runIntent(form, {
      rename: () => thenReload(own.rename({ name })),
      password: async () => {
        await own.changePassword({ password, newPassword });
        return { passwordChanged: true };
      },
      'end-session': () => thenReload(own.endSession({ id: session })),
      'end-others': () => thenReload(own.endOtherSessions()),
    });
  });
}
