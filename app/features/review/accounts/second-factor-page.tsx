import { Link, useLoaderData } from '@remix-run/react';
import { useState } from 'react';
import * as hrefs from '#app/lib/hrefs.ts';
import { formErrorOf, type FormError } from '#app/lib/form-error.ts';
import { useFormResult } from '#app/lib/use-form-result.ts';
import button from '#app/ui/button.module.css';
import { CopyButton } from '#app/ui/copy-button.tsx';
import facts from '#app/ui/facts.module.css';
import { ActionForm, CurrentPassword, FormAlert, TextField } from '#app/ui/form.tsx';
import { Panel } from '#app/ui/panel.tsx';
import { QrImage } from '#app/ui/qr-image.tsx';
import text from '#app/ui/text.module.css';
import { ReviewPage } from '../review-page.tsx';
import { Fact } from '../row-parts.tsx';
import panels from './panels.module.css';
import type { changeSecondFactor, loadSecondFactor, SecondFactorSetup } from './accounts.server.ts';
import styles from './second-factor-page.module.css';

/** The reviewer's own second factor: turning it on and off, and its recovery codes. */
export function SecondFactorPage() {
  const { email, twoFactorEnabled } = useLoaderData<typeof loadSecondFactor>();
  const answer = useFormResult<typeof changeSecondFactor>('');
  const problem = formErrorOf(answer);
  const setup = useSetup(answer && 'setup' in answer ? answer.setup : undefined, problem);
  const recoveryCodes = answer && 'recoveryCodes' in answer ? answer.recoveryCodes : undefined;
  return (
    <ReviewPage
      title="Second factor"
      intro={<Link to={hrefs.review.account()}>Back to your account</Link>}
    >
      {recoveryCodes ? (
        <RecoveryCodes codes={recoveryCodes} email={email} />
      ) : twoFactorEnabled ? (
        <Manage problem={problem} />
      ) : setup ? (
        <ConfirmSetup setup={setup} problem={formErrorOf(answer, { intent: 'confirm' })} />
      ) : (
        <Begin problem={problem} />
      )}
    </ReviewPage>
  );
}

/**
 * The key of the setup in progress. It stays when a code is wrong, and also when the form got no answer or the
 * session has ended and no response contains it.
 */
function useSetup(
  answered: SecondFactorSetup | undefined,
  problem: FormError | undefined,
): SecondFactorSetup | undefined {
  const [last, setLast] = useState(answered);
  if (answered && answered.uri !== last?.uri) setLast(answered);
  return answered ?? (problem?.values['intent'] === 'confirm' ? last : undefined);
}

interface ProblemProps {
  /** Of any form of the page: one that is not shown here has its message on top. */
  problem: FormError | undefined;
}

function Begin({ problem }: ProblemProps) {
  const begin = formErrorOf(problem, { intent: 'begin' });
  return (
    <>
      {!begin && <FormAlert problem={problem} />}
      <div className={panels.panels}>
        <Panel title="Setup">
          <p>
            You need an authenticator app on your phone. From then on, signing in asks for your
            password and the code the app shows.
          </p>
          <ActionForm intent="begin" problem={begin} submitLabel="Show QR code" look="primary">
            <CurrentPassword />
          </ActionForm>
        </Panel>
      </div>
    </>
  );
}

/** The key for an authenticator app, and the form for the first code, which turns the second factor on. */
function ConfirmSetup({ setup, problem }: ProblemProps & { setup: SecondFactorSetup }) {
  const { uri, key, qr } = setup;
  return (
    <Panel title="Authenticator app">
      <p>Scan this QR code with your app, or type the key. Then enter the code it shows.</p>
      <div className={styles.columns}>
        <QrImage qr={qr} label="QR code of the key" />
        <div className={styles.steps}>
          <dl className={facts.facts}>
            <Fact term="Key">
              <code>{key}</code>
            </Fact>
            <Fact term="On this phone">
              <a href={uri}>Open in app</a>
            </Fact>
          </dl>
          <ActionForm intent="confirm" problem={problem} submitLabel="Turn on" look="primary">
            <input type="hidden" name="uri" value={uri} />
            <TextField
              label="Code"
              name="code"
              hint="Six digits."
              inputMode="numeric"
              autoComplete="one-time-code"
              maxLength={10}
              required
            />
          </ActionForm>
          <p className={text.secondary}>
            Codes don’t work? Check that your phone’s clock is right, or{' '}
            <Link to={hrefs.review.secondFactor()}>start over with a new key</Link>.
          </p>
        </div>
      </div>
    </Panel>
  );
}

/** New recovery codes, which are shown once. */
function RecoveryCodes({ codes, email }: { codes: string[]; email: string }) {
  const lines = codes.join('\n');
  const file = `Mesh Registry: recovery codes for ${email}\nEach can be used once.\n\n${lines}\n`;
  return (
    <Panel title="Your recovery codes" className={styles.codesPanel}>
      <p>
        Store these where you can find them without your phone. Each can be used once, instead of a
        code from the app. They won’t be shown again.
      </p>
      <ul className={`${text.code} ${styles.codes}`}>
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <div className={styles.buttons}>
        <CopyButton text={lines} />
        <a
          className={button.button}
          download="mesh-registry-recovery-codes.txt"
          href={`data:text/plain;charset=utf-8,${encodeURIComponent(file)}`}
        >
          Download
        </a>
        <Link className={button.primary} to={hrefs.review.account()}>
          I’ve stored them
        </Link>
      </div>
    </Panel>
  );
}

function Manage({ problem }: ProblemProps) {
  const codes = formErrorOf(problem, { intent: 'codes' });
  const off = formErrorOf(problem, { intent: 'off' });
  return (
    <>
      {!codes && !off && <FormAlert problem={problem} />}
      <div className={panels.panels}>
        <Panel title="New recovery codes">
          <p>Your old recovery codes will stop working.</p>
          <ActionForm intent="codes" problem={codes} submitLabel="Create new codes">
            <CurrentPassword />
          </ActionForm>
        </Panel>
        <Panel title="Turning it off">
          <p>Your password alone will then be enough to sign in.</p>
          <ActionForm
            intent="off"
            problem={off}
            submitLabel="Turn off the second factor"
            look="danger"
          >
            <CurrentPassword />
          </ActionForm>
        </Panel>
      </div>
    </>
  );
}
