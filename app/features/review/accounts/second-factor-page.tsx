import { Link } from '@remix-run/react';
import { useState } from 'react';
import * as hrefs from '#app/lib/hrefs.ts';
import { formErrorOf, type FormError } from '#app/lib/form-error.ts';
import { useFormResult } from '#app/lib/use-form-result.ts';
import { ActionForm, CurrentPassword, FormAlert } from '#app/ui/form.tsx';
import { Panel } from '#app/ui/panel.tsx';
import { ReviewPage } from '../review-page.tsx';
import panels from './panels.module.css';
import { RecoveryCodes } from './recovery-codes.tsx';
import type { changeSecondFactor, SecondFactorSetup } from './accounts.server.ts';
import { ConfirmSetup } from './second-factor-setup.tsx';

interface SecondFactorPageProps {
  email: string;
  twoFactorEnabled: boolean;
}

/** The reviewer's own second factor: turning it on and off, and its recovery codes. */
export function SecondFactorPage({ email, twoFactorEnabled }: SecondFactorPageProps) {
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
