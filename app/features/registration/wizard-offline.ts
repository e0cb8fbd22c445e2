import type { ClientLoaderFunctionArgs } from '@remix-run/react';
import { openPageData } from '#app/lib/open-page.client.ts';
import { serviceAway } from '#app/lib/service-away.ts';
import { isAnswer, withTimeout, type MaybeStale } from '#app/lib/stale-while-offline.ts';
import type { LoadedWizard } from './wizard-page.server.ts';
import { readAnswers } from './wizard.ts';

/** Without a response the step stays, with everything that was typed and no verdict on it. */
export async function loadWizardOffline({ request, serverLoader }: ClientLoaderFunctionArgs) {
  try {
    return await withTimeout(serverLoader<LoadedWizard>());
  } catch (thrown) {
    const { pathname, searchParams } = new URL(request.url);
    const shown = openPageData(pathname) as LoadedWizard | undefined;
    if (isAnswer(thrown) || !shown) throw thrown;
    serviceAway.unanswered();
    const answers = { ...readAnswers(searchParams), step: shown.answers.step };
    return {
      ...shown,
      answers,
      check: null,
      errors: {},
      stale: 'offline',
    } satisfies LoadedWizard & MaybeStale;
  }
}
