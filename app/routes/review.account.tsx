import {
  json,
  redirect,
  type ActionFunctionArgs,
  type LoaderFunctionArgs,
  type MetaFunction,
} from '@remix-run/node';
import { Form, Link, useActionData, useLoaderData } from '@remix-run/react';
import { AppError } from '../../server/schemas/errors.ts';
import type { Session } from '../../server/services/own-account.ts';
import { PageMoment } from '../clock.ts';
import { StatusGlyph } from '../components/glyph.tsx';
import { Panel } from '../components/panel.tsx';
import {
  Field,
  NewPassword,
  PresentPassword,
  Problem,
  problemOf,
} from '../components/review/form.tsx';
import { ReviewPage } from '../components/review/review-page.tsx';
import { When } from '../components/when.tsx';
import { submit, textOf } from '../form.server.ts';
import { requireReviewer } from '../review.server.ts';
import { formHeaders } from '../sign-in.server.ts';

export async function loader(args: LoaderFunctionArgs) {
  const reviewer = await requireReviewer(args);
  const { name, email, role, twoFactorEnabled } = reviewer;
  return {
    name,
    email,
    role,
    twoFactorEnabled,
    sessions: await args.context.services.reviewers.sessions(reviewer),
    updatedAt: new Date().toISOString(),
  };
}

export async function action(args: ActionFunctionArgs) {
  const reviewer = await requireReviewer(args);
  const { guard, client, services } = args.context;
  return submit(args, async (form) => {
    const input = Object.fromEntries(form);
    switch (textOf(form, 'intent')) {
      case 'rename':
        await services.reviewers.rename(reviewer, input);
        break;
      case 'password':
        await guard.password(client(), reviewer.email, () =>
          services.reviewers.changePassword(reviewer, input),
        );
        return json({ done: 'The password is changed, and every other session is over.' });
      case 'end-session':
        await services.reviewers.endSession(reviewer, textOf(form, 'session'));
        break;
      case 'end-others':
        await services.reviewers.endOtherSessions(reviewer);
        break;
      default:
        throw new AppError('invalid_body', 'Open the page again and try anew.');
    }
    return redirect('/review/account', 303);
  });
}

export const headers = formHeaders;
export const meta: MetaFunction = () => [{ title: 'Your account · Mesh Registry' }];

export default function Account() {
  const { name, email, role, twoFactorEnabled, sessions, updatedAt } =
    useLoaderData<typeof loader>();
  const answer = useActionData<typeof action>();
  const done = answer && 'done' in answer ? answer.done : undefined;
  const naming = problemOf(answer, 'rename');
  const password = problemOf(answer, 'password');
  return (
    <PageMoment.Provider value={Date.parse(updatedAt)}>
      <ReviewPage className="account" title="Your account" intro={`${email}, ${role}`}>
        {answer && 'error' in answer && !naming && !password && (
          <Problem problem={problemOf(answer)} />
        )}
        <div className="panels">
          <Panel title="Name">
            <Form method="post" className="form">
              <Problem problem={naming} />
              <Field
                label="Name"
                name="name"
                defaultValue={name}
                autoComplete="name"
                maxLength={80}
                problem={naming}
                required
              />
              <button className="button" name="intent" value="rename">
                Save
              </button>
            </Form>
          </Panel>
          <Panel title="Second factor">
            <p>
              <span className="status">
                <StatusGlyph status={twoFactorEnabled ? 'online' : 'idle'} />
                {twoFactorEnabled ? 'on' : 'off'}
              </span>
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
            <Form method="post" className="form" key={done}>
              <Problem problem={password} />
              <p role="status">{done}</p>
              <PresentPassword label="Present password" problem={password} />
              <NewPassword label="New password" name="newPassword" problem={password} />
              <button className="button" name="intent" value="password">
                Change the password
              </button>
            </Form>
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
    </PageMoment.Provider>
  );
}

function SessionLine({ id, device, since, present }: Session) {
  return (
    <li>
      <div>
        <strong>{device}</strong>
        <div className="secondary">
          {present && 'this browser, '}since <When at={since} />
        </div>
      </div>
      {!present && (
        <Form method="post">
          <input type="hidden" name="session" value={id} />
          <button className="link" name="intent" value="end-session">
            End<span className="visually-hidden">: {device}</span>
          </button>
        </Form>
      )}
    </li>
  );
}
