import { useActionData, useLoaderData, useLocation, useNavigationType } from '@remix-run/react';
import { useState } from 'react';
import { PageMoment } from '#app/lib/clock.ts';
import { formErrorOf } from '#app/lib/form-error.ts';
import { useRememberPage } from '#app/lib/page-refresh.ts';
import { staleReason } from '#app/lib/stale-while-offline.ts';
import { ServiceBanner } from '#app/features/live/service-banner.tsx';
import { Page } from '#app/ui/page.tsx';
import { Notice } from '#app/ui/notice.tsx';
import { CheckStep } from './check-step.tsx';
import { DetailsStep } from './details-step.tsx';
import flow from './flow.module.css';
import { NameStep } from './name-step.tsx';
import { Progress, type ProgressStep } from './progress.tsx';
import { NodeStep } from './node-step.tsx';
import { useHeadingFocus } from './use-heading-focus.ts';
import { useSavedAnswers } from './use-saved-answers.ts';
import { WizardAside } from './wizard-aside.tsx';
import type { LoadedWizard } from './wizard-page.server.ts';
import styles from './wizard.module.css';
import { wizardHref, type Step } from './wizard.ts';

export const STEP_TITLES: Record<Step, string> = {
  name: 'Choose a name',
  node: 'Choose its node',
  details: 'Details',
  check: 'Check your details',
};

const PROGRESS: Record<Step, ProgressStep> = {
  name: 'Name',
  node: 'Node',
  details: 'Details',
  check: 'Check',
};

/** The steps of a registration up to its start. */
export function WizardPage() {
  const loaded = useLoaderData<LoadedWizard>();
  const refused = formErrorOf(useActionData());
  const formKey = useFormKey();
  useHeadingFocus(formKey);
  useRememberPage(loaded);
  const { step } = loaded.answers;
  // A rejected form has a more precise message.
  const offline = staleReason(loaded) !== undefined && !refused;
  const { answers, ...saved } = useSavedAnswers(loaded.answers, formKey, loaded.node?.reported);
  const href = (to: Step) => wizardHref({ ...answers, key: '', step: to });
  return (
    <PageMoment.Provider value={Date.parse(loaded.updatedAt)}>
      <Page
        className={`${flow.page} ${styles.page}`}
        above={
          <Progress
            current={PROGRESS[step]}
            links={{ Name: href('name'), Node: href('node'), Details: href('details') }}
          />
        }
      >
        <ServiceBanner />
        <div className={flow.columns}>
          <div>
            <div className={styles.head}>
              <h1>{STEP_TITLES[step]}</h1>
              <p>
                <Lead loaded={loaded} />
              </p>
            </div>
            {offline && (
              <Notice kind="error" className={styles.message}>
                The service isn’t responding. What you typed is kept; try again in a moment.
              </Notice>
            )}
            {step === 'name' && (
              <NameStep
                key={formKey}
                loaded={loaded}
                missing={loaded.asked !== 'name' && loaded.check === null && !offline}
                offline={offline}
                saved={saved}
              />
            )}
            {step === 'node' && (
              <NodeStep
                key={formKey}
                loaded={loaded}
                saved={saved}
                answers={answers}
                back={href('name')}
              />
            )}
            {step === 'details' && (
              <DetailsStep key={formKey} loaded={loaded} saved={saved} back={href('node')} />
            )}
            {step === 'check' && (
              <CheckStep
                loaded={loaded}
                error={refused?.error}
                back={href(loaded.skipsDetails ? 'node' : 'details')}
              />
            )}
          </div>
          <WizardAside loaded={loaded} answers={answers} />
        </div>
      </Page>
    </PageMoment.Provider>
  );
}

/** One sentence below the title. */
function Lead({ loaded: { answers, fee, node } }: { loaded: LoadedWizard }) {
  const { step, name } = answers;
  if (step === 'name')
    return <>Registering costs {fee}, once. You’ll review everything before paying.</>;
  if (step === 'node')
    return (
      <>
        The node that <strong>{name}</strong> belongs to. You can register first and send heartbeats
        later.
      </>
    );
  if (step === 'check') return <>Everything here becomes public once the name is active.</>;
  if (!node?.reported) return <>Shown with the name. You can leave out any of them.</>;
  return (
    <>
      Filled in from the heartbeats of {node.reported.label || node.id}. Change what should be
      listed differently.
    </>
  );
}

/**
 * A key for a form whose answers are kept in the URL: the same while the URL is only replaced, another one
 * after each navigation, when the form starts with what the URL says.
 */
function useFormKey(): string {
  const { key } = useLocation();
  const navigated = (useNavigationType() as string) !== 'REPLACE';
  const [kept, setKept] = useState(key);
  if (navigated && kept !== key) setKept(key);
  return navigated ? key : kept;
}
