import {
  json,
  redirect,
  type ActionFunctionArgs,
  type LoaderFunctionArgs,
  type MetaFunction,
} from '@remix-run/node';
import { Form, useActionData, useLoaderData } from '@remix-run/react';
import { AppError } from '../../server/schemas/errors.ts';
import { REVIEWER_ROLES } from '../../server/schemas/values.ts';
import type { ListedReviewer, OpenLink } from '../../server/services/reviewers.ts';
import { exact, PageMoment } from '../clock.ts';
import { CopyButton } from '../components/copy-button.tsx';
import { StatusGlyph } from '../components/glyph.tsx';
import { Panel } from '../components/panel.tsx';
import { Field, Problem, problemOf } from '../components/review/form.tsx';
import { ReviewPage } from '../components/review/review-page.tsx';
import { When } from '../components/when.tsx';
import { submit, textOf } from '../form.server.ts';
import { requireReviewer } from '../review.server.ts';
import { formHeaders } from '../sign-in.server.ts';

export async function loader(args: LoaderFunctionArgs) {
  const { email } = await requireReviewer(args, 'administrator');
  const { reviewers, links } = await args.context.services.reviewers.list();
  return { own: email, reviewers, links, updatedAt: new Date().toISOString() };
}

export async function action(args: ActionFunctionArgs) {
  const { email: actor } = await requireReviewer(args, 'administrator');
  const { services, origin } = args.context;
  return submit(args, async (form) => {
    const email = textOf(form, 'email');
    const change = { actor, email };
    /** Shown once, in this answer: it is kept nowhere. */
    const link = (token: string) =>
      json({ link: { email, url: `${origin()}/review/join/${token}` } });
    switch (textOf(form, 'intent')) {
      case 'invite':
        return link(await services.reviewers.invite(actor, Object.fromEntries(form)));
      case 'access':
        return link(await services.reviewers.renewAccess(actor, email));
      case 'withdraw':
        await services.reviewers.withdraw(change);
        break;
      case 'administrator':
        await services.reviewers.setRole({ ...change, role: 'administrator' });
        break;
      case 'reviewer':
        await services.reviewers.setRole({ ...change, role: 'reviewer' });
        break;
      case 'deactivate':
        await services.reviewers.deactivate(change);
        break;
      case 'reactivate':
        await services.reviewers.reactivate(change);
        break;
      default:
        throw new AppError('invalid_body', 'Open the page again and try anew.');
    }
    return redirect('/review/reviewers', 303);
  });
}

export const headers = formHeaders;
export const meta: MetaFunction = () => [{ title: 'Reviewers · Mesh Registry' }];

export default function Reviewers() {
  const { own, reviewers, links, updatedAt } = useLoaderData<typeof loader>();
  const answer = useActionData<typeof action>();
  const inviting = problemOf(answer, 'invite');
  const made = answer && 'link' in answer ? answer.link : undefined;
  return (
    <PageMoment.Provider value={Date.parse(updatedAt)}>
      <ReviewPage
        className="reviewers"
        title="Reviewers"
        intro="Who may decide on registrations. Administrators also change this page."
      >
        {!inviting && <Problem problem={problemOf(answer)} />}
        {made && <NewLink key={made.url} {...made} />}
        <div className="card people-card">
          <table className="table people" role="table">
            <caption className="visually-hidden">Accounts</caption>
            <thead role="rowgroup">
              <tr role="row">
                {['Reviewer', 'Role', 'Second factor', 'Last sign-in', 'State', 'Change'].map(
                  (head) => (
                    <th key={head} role="columnheader" scope="col">
                      {head}
                    </th>
                  ),
                )}
              </tr>
            </thead>
            <tbody role="rowgroup">
              {reviewers.map((reviewer) => (
                <Person key={reviewer.email} {...reviewer} own={reviewer.email === own} />
              ))}
            </tbody>
          </table>
        </div>
        <div className="panels">
          <Panel title="Invite a reviewer">
            <Form method="post" className="form" key={made?.url}>
              <Problem problem={inviting} />
              <Field
                label="E-mail address"
                name="email"
                type="email"
                autoComplete="off"
                problem={inviting}
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
                      defaultChecked={role === (inviting?.values['role'] ?? 'reviewer')}
                    />{' '}
                    {role}
                  </label>
                ))}
              </fieldset>
              <button className="button primary" name="intent" value="invite">
                Make a link
              </button>
            </Form>
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
    </PageMoment.Provider>
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

function Person(reviewer: ListedReviewer & { own: boolean }) {
  const { name, email, role, twoFactorEnabled, lastSignInAt, deactivatedAt, own } = reviewer;
  const other = role === 'administrator' ? 'reviewer' : 'administrator';
  return (
    <tr role="row">
      <th role="rowheader" scope="row">
        {name}
        {own && <span className="secondary"> (you)</span>}
        <div className="secondary">{email}</div>
      </th>
      <td role="cell">{role}</td>
      <td role="cell" data-head="Second factor">
        <span className="status">
          <StatusGlyph status={twoFactorEnabled ? 'online' : 'idle'} />
          {twoFactorEnabled ? 'on' : 'off'}
        </span>
      </td>
      <td role="cell" data-head="Last sign-in">
        {lastSignInAt === null ? 'never' : <When at={lastSignInAt} />}
      </td>
      <td role="cell" data-head="State">
        <span className="status">
          <StatusGlyph status={deactivatedAt ? 'offline' : 'online'} />
          {deactivatedAt ? 'deactivated' : 'active'}
        </span>
      </td>
      <td role="cell">
        <Form method="post" className="actions">
          <input type="hidden" name="email" value={email} />
          {deactivatedAt ? (
            <Act intent="reactivate" of={email}>
              Reactivate
            </Act>
          ) : (
            <>
              <Act intent={other} of={email}>
                {other === 'administrator' ? 'Make administrator' : 'Make reviewer'}
              </Act>
              {!own && (
                <>
                  <Act intent="access" of={email}>
                    New access link
                  </Act>
                  <Act intent="deactivate" of={email}>
                    Deactivate
                  </Act>
                </>
              )}
            </>
          )}
        </Form>
      </td>
    </tr>
  );
}

/** One of the buttons of a row; what it does it does to the row's account. */
function Act({ intent, of, children }: { intent: string; of: string; children: string }) {
  return (
    <button className="link" name="intent" value={intent}>
      {children}
      <span className="visually-hidden">: {of}</span>
    </button>
  );
}

function Open({ email, role, renews, invitedBy, expiresAt }: OpenLink) {
  return (
    <li>
      <div>
        <strong>{email}</strong>
        <div className="secondary">
          {renews ? 'new access' : role}, by {invitedBy === 'system' ? 'the console' : invitedBy},
          until <time dateTime={expiresAt}>{exact(expiresAt)}</time>
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
