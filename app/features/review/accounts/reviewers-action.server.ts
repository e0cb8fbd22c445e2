import { redirect, type ActionFunctionArgs } from '@remix-run/node';
import type { ReviewerRole } from '@mesh-registry/protocol/values.schema.ts';
import { formValues, runIntent } from '#app/lib/form-action.server.ts';
import { handleReviewForm } from '../review.server.ts';

/** The forms of the reviewers' page. New links are in the answer only, where they are shown once. */
export function reviewersAction(args: ActionFunctionArgs) {
  const { accounts } = args.context.api.review;
  const work = async (form: FormData) => {
    const { email = '', role = '' } = formValues(form);
    const thenReload = async (done: Promise<void>) => {
      await done;
      return redirect('/review/reviewers', 303);
    };
    return runIntent(form, {
      // The procedure checks the role.
      invite: async () => ({ link: await accounts.invite({ email, role: role as ReviewerRole }) }),
      access: async () => ({ link: await accounts.renewAccess({ email }) }),
      withdraw: () => thenReload(accounts.withdraw({ email })),
      administrator: () => thenReload(accounts.setRole({ email, role: 'administrator' })),
      reviewer: () => thenReload(accounts.setRole({ email, role: 'reviewer' })),
      deactivate: () => thenReload(accounts.deactivate({ email })),
      reactivate: () => thenReload(accounts.reactivate({ email })),
    });
  };
  return handleReviewForm(args, work, { role: 'administrator' });
}
