import {
  data,
  redirect,
  type ActionFunctionArgs,
  type LoaderFunctionArgs,
  type MetaFunction,
} from '@remix-run/node';
import { Form, useLoaderData, type ClientActionFunctionArgs } from '@remix-run/react';
import { AppError } from '#server/common/errors.schema.ts';
import { REVIEWER_ROLES } from '#server/accounts/values.schema.ts';
import type { OpenLink, Reviewer } from '#server/accounts/index.ts';
import { ExactTime } from '#app/ui/exact-time.tsx';
import { CopyButton } from '#app/ui/copy-button.tsx';
import { Panel } from '#app/ui/panel.tsx';
import { ActionForm, TextField, FormAlert } from '#app/ui/form.tsx';
import { formErrorOf } from '#app/lib/form-error.ts';
import { Act, People } from '#app/features/review/accounts/people.tsx';
import { ReviewPage } from '#app/features/review/review-page.tsx';
import { useFormResult } from '#app/lib/use-form-result.ts';
import { textOf } from '#app/lib/form-action.server.ts';
import type { FormError } from '#app/lib/form-error.ts';
import { offlineAction } from '#app/lib/stale-while-offline.ts';
import { requireReviewer, handleReviewForm } from '#app/features/review/review.server.ts';
import { formHeaders } from '#app/features/review/accounts/sign-in.server.ts';

export async function loader(args: LoaderFunctionArgs) {
  const { email } = await requireReviewer(args, 'administrator');
  const { reviewers, links } = await args.context.services.accounts.list();
  return { own: email, reviewers, links, updatedAt: new Date().toISOString() };
}

export function action(args: ActionFunctionArgs) {
  const { services, origin } = args.context;
  const work = async (form: FormData, { email: actor }: Reviewer) => {
    const email = textOf(form, 'email');
    const change = { actor, email };
    /** Shown once, in this answer: it is kept nowhere. */
    const link = (token: string) =>
      data({ link: { email, url: `${origin()}/review/join/${token}` } });
    switch (textOf(form, 'intent')) {
      case 'invite':
        return link(await services.accounts.invite(actor, Object.fromEntries(form)));
      case 'access':
        return link(await services.accounts.renewAccess(actor, email));
      case 'withdraw':
        await services.accounts.withdraw(change);
        break;
      case 'administrator':
        await services.accounts.setRole({ ...change, role: 'administrator' });
        break;
      case 'reviewer':
        await services.accounts.setRole({ ...change, role: 'reviewer' });
        break;
      case 'deactivate':
        await services.accounts.deactivate(change);
        break;
      case 'reactivate':
        await services.accounts.reactivate(change);
        break;
      default:
        throw new AppError('invalid_body', 'Open the page again and try anew.');
    }
    return redirect('/review/reviewers', 303);
  };
  return handleReviewForm(args, work, { role: 'administrator' });
}

export { offlineLoader as clientLoader } from '#app/lib/stale-while-offline.ts';
export const clientAction = (args: ClientActionFunctionArgs) =>
  offlineAction(args, (intent) => NO_ANSWER[intent]);

/** Where to send it once more is not all there is to do. */
const NO_ANSWER: Partial<Record<string, string>> = {
  invite:
    'Whether the link was made is not known, and it is shown only once. Make it again: the new one replaces it.',
  access:
    'Whether the link was made is not known, and it is shown only once. Make it again: the new one replaces it.',
};

export const headers = formHeaders;
export const meta: MetaFunction = () => [{ title: 'Reviewers · Mesh Registry' }];

export default function Reviewers() {
  const { own, reviewers, links, updatedAt } = useLoaderData<typeof loader>();
  const answer = useFormResult<typeof action>('');
  const inviting = formErrorOf(answer, { intent: 'invite' });
  const made = answer && 'link' in answer ? answer.link : undefined;
  return (
    <ReviewPage
      updatedAt={updatedAt}
      className="reviewers"
      title="Reviewers"
      intro="Who may decide on registrations. Administrators also change this page."
    >
      {!inviting && <FormAlert problem={formErrorOf(answer)} />}
      {made && <NewLink key={made.url} {...made} />}
      <div className="card">
        <People reviewers={reviewers} own={own} />
      </div>
      <div className="panels">
        <Panel title="Invite a reviewer">
          <Invite problem={inviting} />
        </Panel>
        <Panel title="Open links">
          {links.length === 0 ? (
            <p className="secondary">None. A link goes from here once it is used.</p>
          ) : (
            <ul className="lines">
              {links.map((link) => (
                <Open key={link.email} {...link} />
              ))}
            </ul>
          )}
        </Panel>
      </div>
    </ReviewPage>
  );
}

function Invite({ problem }: { problem: FormError | undefined }) {
  return (
    <ActionForm intent="invite" problem={problem} submitLabel="Make a link" look="primary">
      <TextField
        label="E-mail address"
        name="email"
        type="email"
        autoComplete="off"
        hint="You get a link to send yourself: the service sends no mail."
        required
      />
      <fieldset>
        <legend>Role</legend>
        {REVIEWER_ROLES.map((role) => (
          <label key={role}>
            <input
              type="radio"
              name="role"
              value={role}
              defaultChecked={role === (problem?.values['role'] ?? 'reviewer')}
            />{' '}
            {role}
          </label>
        ))}
      </fieldset>
    </ActionForm>
  );
}

function NewLink({ email, url }: { email: string; url: string }) {
  return (
    <section className="card new-link" aria-labelledby="new-link" role="status">
      <h2 id="new-link">Link for {email}</h2>
      <p>Send it to them. It is good once, for 7 days, and is not shown again.</p>
      <div className="new-link-url">
        <code>{url}</code>
        <CopyButton text={url} />
      </div>
    </section>
  );
}

function Open({ email, role, renews, invitedBy, expiresAt }: OpenLink) {
  return (
    <li>
      <div>
        <strong>{email}</strong>
        <div className="secondary">
          {renews ? 'new access' : role}, by {invitedBy === 'system' ? 'the console' : invitedBy},
          until <ExactTime at={expiresAt} />
        </div>
      </div>
      <Form method="post">
        <input type="hidden" name="email" value={email} />
        <Act intent="withdraw" of={email}>
          Withdraw
        </Act>
      </Form>
    </li>
  );
}
