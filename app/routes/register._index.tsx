import type { HeadersFunction, MetaFunction } from '@remix-run/node';
import type { loadWizard } from '#app/features/registration/wizard-page.server.ts';
import { STEP_TITLES } from '#app/features/registration/wizard-page.tsx';
import { wizardHref } from '#app/features/registration/wizard.ts';
import * as hrefs from '#app/lib/hrefs.ts';
import { pageMeta } from '#app/lib/page-meta.ts';
import { offlineActionWith } from '#app/lib/stale-while-offline.ts';

export {
  loadWizard as loader,
  startRegistration as action,
} from '#app/features/registration/wizard-page.server.ts';
export { WizardPage as default } from '#app/features/registration/wizard-page.tsx';
export { loadWizardOffline as clientLoader } from '#app/features/registration/wizard-offline.ts';

export const clientAction = offlineActionWith('Send it again; nothing is registered twice.');

/** When a refused form may be sent again. */
export const headers: HeadersFunction = ({ actionHeaders }) => actionHeaders;

export const meta: MetaFunction<typeof loadWizard> = ({ data }) => [
  ...pageMeta(
    data && data.answers.step !== 'name'
      ? `${STEP_TITLES[data.answers.step]} · Register a name`
      : 'Register a name',
    'Register a public name for your node, your compute offer or both: choose it and pay the fee, and a reviewer activates it.',
    data && `${data.origin}${hrefs.register()}`,
  ),
  // A half-filled form is nothing to index.
  ...(data && wizardHref(data.answers) !== hrefs.register()
    ? [{ name: 'robots', content: 'noindex' }]
    : []),
];
