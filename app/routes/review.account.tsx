import {
  data,
  redirect,
  type ActionFunctionArgs,
  type LoaderFunctionArgs,
  type MetaFunction,
} from '@remix-run/node';
import { Form, Link, useLoaderData, type ClientActionFunctionArgs } from '@remix-run/react';
import { AppError } from '#server/common/errors.schema.ts';
import { PERSON_NAME_MAX } from '#server/accounts/values.schema.ts';
import type { Session } from '#server/accounts/index.ts';
import { Panel } from '#app/ui/panel.tsx';
import { ActionForm, TextField, NewPassword, CurrentPassword, FormAlert } from '#app/ui/form.tsx';
import { formErrorOf } from '#app/lib/form-error.ts';
import { Act, OnOff } from '#app/features/review/accounts/people.tsx';
import { ReviewPage } from '#app/features/review/review-page.tsx';
import { useFormResult } from '#app/lib/use-form-result.ts';
import { RelativeTime } from '#app/ui/relative-time.tsx';
import { textOf } from '#app/lib/form-action.server.ts';
import { offlineAction } from '#app/lib/stale-while-offline.ts';
import { requireReviewer, handleReviewForm } from '#app/features/review/review.server.ts';
import { formHeaders } from '#app/features/review/accounts/sign-in.server.ts';

export async function loader(args: LoaderFunctionArgs) {
  const reviewer = await requireReviewer(args);
  const { name, email, role, twoFactorEnabled } = reviewer;
  return {
    name,
    email,
    role,
    twoFactorEnabled,
    sessions: await args.context.services.accounts.sessions(reviewer),
    updatedAt: new Date().toISOString(),
  };
}

export function action(args: ActionFunctionArgs) {
  const { limits, client, services } = args.context;
  return handleReviewForm(args, async (form, reviewer) => {
    const input = Object.fromEntries(form);
    switch (textOf(form, 'intent')) {
      case 'rename':
        await services.accounts.rename(reviewer, input);
        break;
      case 'password':
        await limits.password(client(), reviewer.email, () =>
          services.accounts.changePassword(reviewer, input),
        );
        return data({ done: 'The password is changed, and every other session is over.' });
      case 'end-session':
        await services.accounts.endSession(reviewer, textOf(form, 'session'));
        break;
      case 'end-others':
        await services.accounts.endOtherSessions(reviewer);
        break;
      default:
        throw new AppError('invalid_body', 'Open the page again and try anew.');
    }
    return redirect('/review/account', 303);
  });
}

export { offlineLoader as clientLoader } from '#app/lib/stale-while-offline.ts';
export const clientAction = (args: ClientActionFunctionArgs) =>
  offlineAction(args, (intent) => NO_ANSWER[intent]);

/** Where to send it once more is not all there is to do. */
const NO_ANSWER: Partial<Record<string, string>> = {
  password:
    'Whether the password is changed is not known. Send it again: if your present password is then refused, the new one holds already.',
};

export const headers = formHeaders;
export const meta: MetaFunction = () => [{ title: 'Your account · Mesh Registry' }];

export default function Account() {
  const { name, email, role, twoFactorEnabled, sessions, updatedAt } =
    useLoaderData<typeof loader>();
  const answer = useFormResult<typeof action>('');
  const done = answer && 'done' in answer ? answer.done : undefined;
  const naming = formErrorOf(answer, { intent: 'rename' });
  const password = formErrorOf(answer, { intent: 'password' });
  return (
    <ReviewPage
      updatedAt={updatedAt}
      className="account"
      title="Your account"
      intro={`${email}, ${role}`}
    >
      {!naming && !password && <FormAlert problem={formErrorOf(answer)} />}
      <div className="panels">
        <Panel title="Name">
          <ActionForm intent="rename" problem={naming} submitLabel="Save">
            <TextField
              label="Name"
              name="name"
              defaultValue={name}
              autoComplete="name"
              maxLength={PERSON_NAME_MAX}
              required
            />
          </ActionForm>
        </Panel>
        <Panel title="Second factor">
          <p>
            <OnOff on={twoFactorEnabled} />
          </p>
          <p className="secondary">
            {twoFactorEnabled
              ? 'Signing in asks for a code of your authenticator app.'
              : 'With it, a password that somebody else knows is not enough to sign in.'}
          </p>
          <Link to="/review/account/second-factor" className="button">
            {twoFactorEnabled ? 'Recovery codes, turn off' : 'Set up'}
          </Link>
        </Panel>
        <Panel title="Password">
          <ActionForm intent="password" problem={password} submitLabel="Change the password">
            <p role="status">{done}</p>
            <CurrentPassword />
            <NewPassword label="New password" name="newPassword" />
          </ActionForm>
        </Panel>
        <Panel title="Where you are signed in">
          <ul className="lines">
            {sessions.map((session) => (
              <SessionLine key={session.id} {...session} />
            ))}
          </ul>
          {sessions.length > 1 && (
            <Form method="post">
              <button className="button" name="intent" value="end-others">
                End all others
              </button>
            </Form>
          )}
        </Panel>
      </div>
    </ReviewPage>
  );
}

function SessionLine({ id, device, since, current }: Session) {
  return (
    <li>
      <div>
        <strong>{device}</strong>
        <div className="secondary">
          {current && 'this browser, '}since <RelativeTime at={since} />
        </div>
      </div>
      {!current && (
        <Form method="post">
          <input type="hidden" name="session" value={id} />
          <Act intent="end-session" of={device}>
            End
          </Act>
        </Form>
      )}
    </li>
  );
}
