import {
  data,
  type ActionFunctionArgs,
  type LoaderFunctionArgs,
  type MetaFunction,
} from '@remix-run/node';
import { Link, useLoaderData, type ClientActionFunctionArgs } from '@remix-run/react';
import { AppError } from '#server/common/errors.schema.ts';
import { CopyButton } from '#app/ui/copy-button.tsx';
import { Panel } from '#app/ui/panel.tsx';
import { ActionForm, TextField, CurrentPassword, FormAlert } from '#app/ui/form.tsx';
import { formErrorOf } from '#app/lib/form-error.ts';
import { ReviewPage } from '#app/features/review/review-page.tsx';
import { useFormResult } from '#app/lib/use-form-result.ts';
import { textOf } from '#app/lib/form-action.server.ts';
import { QrImage } from '#app/ui/qr-image.tsx';
import { qrCode, type QrCode } from '#app/lib/qr.server.ts';
import { offlineAction } from '#app/lib/stale-while-offline.ts';
import { requireReviewer, handleReviewForm } from '#app/features/review/review.server.ts';
import { formHeaders, goWith } from '#app/features/review/accounts/sign-in.server.ts';

export async function loader(args: LoaderFunctionArgs) {
  const { email, twoFactorEnabled } = await requireReviewer(args);
  return { email, twoFactorEnabled };
}

/** The secret and the recovery codes are in these answers only: no address shows them again. */
export function action(args: ActionFunctionArgs) {
  const { request, context } = args;
  const { accounts } = context.services;
  return handleReviewForm(args, async (form, reviewer) => {
    const password = textOf(form, 'password');
    const withPassword = <T,>(work: () => Promise<T>) =>
      context.limits.password(context.client(), reviewer.email, work);
    switch (textOf(form, 'intent')) {
      case 'begin': {
        const { uri } = await withPassword(() =>
          accounts.beginSecondFactor(reviewer, password, request.headers),
        );
        const secret = new URL(uri).searchParams.get('secret') ?? '';
        return data({
          setup: { uri, secret: secret.replace(/.{4}/g, '$& ').trim(), qr: qrCode(uri) },
        });
      }
      case 'confirm': {
        const { cookies, recoveryCodes } = await context.limits.code(context.client(), () =>
          accounts.confirmSecondFactor(reviewer, textOf(form, 'code'), request.headers),
        );
        return data(
          { recoveryCodes },
          { headers: cookies.map((cookie): [string, string] => ['set-cookie', cookie]) },
        );
      }
      case 'codes':
        return data({
          recoveryCodes: await withPassword(() =>
            accounts.newRecoveryCodes(password, request.headers),
          ),
        });
      case 'off':
        return goWith(
          await withPassword(() => accounts.endSecondFactor(password, request.headers)),
          '/review/account',
        );
      default:
        throw new AppError('invalid_body', 'Open the page again and try anew.');
    }
  });
}

export { offlineLoader as clientLoader } from '#app/lib/stale-while-offline.ts';
export const clientAction = (args: ClientActionFunctionArgs) =>
  offlineAction(args, (intent) => NO_ANSWER[intent]);

/** Where to send it once more is not all there is to do. */
const NO_ANSWER: Partial<Record<string, string>> = {
  confirm:
    'Whether it is on is not known: this page shows it as soon as the service answers again. If it is on, make new recovery codes: the first ones were not shown.',
  codes: 'The old codes may be void already. Make new ones once more.',
};

export const headers = formHeaders;
export const meta: MetaFunction = () => [{ title: 'Second factor · Mesh Registry' }];

export default function SecondFactor() {
  const { email, twoFactorEnabled } = useLoaderData<typeof loader>();
  const answer = useFormResult<typeof action>('');
  const problem = formErrorOf(answer);
  const shown = twoFactorEnabled ? ['codes', 'off'] : ['begin', 'confirm'];
  return (
    <ReviewPage
      className="second-factor"
      title="Second factor"
      intro={<Link to="/review/account">Back to your account</Link>}
    >
      {!shown.includes(problem?.values['intent'] ?? '') && <FormAlert problem={problem} />}
      {answer && 'recoveryCodes' in answer ? (
        <RecoveryCodes codes={answer.recoveryCodes} email={email} />
      ) : twoFactorEnabled ? (
        <IsOn />
      ) : answer && 'setup' in answer ? (
        <Confirm {...answer.setup} />
      ) : (
        <IsOff />
      )}
    </ReviewPage>
  );
}

function IsOff() {
  const answer = useFormResult<typeof action>('');
  const code = formErrorOf(answer, { intent: 'confirm' });
  const begin = formErrorOf(answer, { intent: 'begin' });
  return (
    <div className="panels">
      {code && (
        <Panel title="Try the code again">
          <CodeForm />
        </Panel>
      )}
      <Panel title={code ? 'Or start again' : 'Set up'}>
        <ActionForm intent="begin" problem={begin} submitLabel="Show the QR code" look="primary">
          <p>
            You need an authenticator app on your phone. It shows a new code every half minute,
            which signing in asks for after your password.
          </p>
          <CurrentPassword />
        </ActionForm>
      </Panel>
    </div>
  );
}

function Confirm({ uri, secret, qr }: { uri: string; secret: string; qr: QrCode }) {
  return (
    <Panel title="Add it to your app" className="add-key">
      <div>
        <p>Scan this with the app, or type the key.</p>
        <QrImage qr={qr} label="The key as a QR picture" />
      </div>
      <div>
        <dl className="facts">
          <dt>Key</dt>
          <dd>
            <code>{secret}</code>
          </dd>
          <dt>On this phone</dt>
          <dd>
            <a href={uri}>Open the app</a>
          </dd>
        </dl>
        <CodeForm />
      </div>
    </Panel>
  );
}

function CodeForm() {
  const problem = formErrorOf(useFormResult<typeof action>(''), { intent: 'confirm' });
  return (
    <ActionForm intent="confirm" problem={problem} submitLabel="Turn it on" look="primary">
      <TextField
        label="Code"
        name="code"
        hint="The six digits that the app shows now. With them it is on."
        inputMode="numeric"
        autoComplete="one-time-code"
        maxLength={10}
        required
      />
    </ActionForm>
  );
}

function RecoveryCodes({ codes, email }: { codes: string[]; email: string }) {
  const text = codes.join('\n');
  const file = `Mesh Registry, recovery codes of ${email}\nEach is good once.\n\n${text}\n`;
  return (
    <Panel title="Your recovery codes" className="codes">
      <p>
        Keep them where you find them without your phone. Each is good once, in the place of a code.
        They are not shown again.
      </p>
      <ul className="code">
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <div className="chips">
        <CopyButton text={text} />
        <a
          className="button"
          download="mesh-registry-recovery-codes.txt"
          href={`data:text/plain;charset=utf-8,${encodeURIComponent(file)}`}
        >
          Download
        </a>
        <Link className="button primary" to="/review/account">
          I have kept them
        </Link>
      </div>
    </Panel>
  );
}

function IsOn() {
  const answer = useFormResult<typeof action>('');
  const codes = formErrorOf(answer, { intent: 'codes' });
  const off = formErrorOf(answer, { intent: 'off' });
  return (
    <div className="panels">
      <Panel title="New recovery codes">
        <ActionForm intent="codes" problem={codes} submitLabel="Make new codes">
          <p>The old ones are void then.</p>
          <CurrentPassword />
        </ActionForm>
      </Panel>
      <Panel title="Turn it off">
        <ActionForm
          intent="off"
          problem={off}
          submitLabel="Turn the second factor off"
          look="danger"
        >
          <p>Signing in asks for your password only then.</p>
          <CurrentPassword />
        </ActionForm>
      </Panel>
    </div>
  );
}
