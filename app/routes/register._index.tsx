import {
  redirect,
  replace,
  type ActionFunctionArgs,
  type HeadersFunction,
  type LoaderFunctionArgs,
  type MetaFunction,
} from '@remix-run/node';
import {
  useActionData,
  useLoaderData,
  type ClientActionFunctionArgs,
  type ClientLoaderFunctionArgs,
} from '@remix-run/react';
import { useEffect } from 'react';
import { isAppError } from '#server/common/errors.schema.ts';
import { NAME_RULE } from '#server/common/fields.schema.ts';
import { NODE_ID_PATTERN } from '#server/common/patterns.schema.ts';
import { REGISTER_BODY_BYTES } from '#server/common/values.schema.ts';
import type { NodeDetails } from '#server/mesh/index.ts';
import { PageMoment } from '#app/lib/clock.ts';
import { Page } from '#app/ui/page.tsx';
import { CheckStep } from '#app/features/registration/check-step.tsx';
import { NameStep } from '#app/features/registration/name-step.tsx';
import { OwnRegistrations } from '#app/features/registration/saved-registrations-list.tsx';
import { StepLine, type WayStep } from '#app/features/registration/step-line.tsx';
import { useFormKey } from '#app/features/registration/use-form-key.ts';
import { useHeadingFocus } from '#app/features/registration/use-heading-focus.ts';
import { useKeptAnswers } from '#app/features/registration/use-saved-answers.ts';
import { WhatStep, type TypedNode } from '#app/features/registration/details-step.tsx';
import { handleForm } from '#app/lib/form-action.server.ts';
import { dollars } from '#app/lib/formatters.ts';
import { withTimeout, isAnswer, offlineAction } from '#app/lib/stale-while-offline.ts';
import { pageMeta } from '#app/lib/page-meta.ts';
import { SECRET_HEADERS } from '#app/lib/secret-headers.ts';
import {
  checkAnswers,
  checkName,
  reachable,
  sentBefore,
  startOf,
} from '#app/features/registration/wizard.server.ts';
import {
  followHref,
  readWizard,
  wizardHref,
  withNode,
  type Step,
} from '#app/features/registration/wizard.ts';

/**
 * GET /register: the step that the address asks for, or the one before it where something is wrong.
 * Reads only; the names and answers in it are checked by the functions that a start uses.
 */
export async function loader({ request, context: { services, origin } }: LoaderFunctionArgs) {
  const { searchParams } = new URL(request.url);
  const wizard = readWizard(searchParams);
  const picked = searchParams.get('pick');
  if (picked !== null) {
    const node = services.mesh.peer(picked);
    const before = services.mesh.peer(wizard.node) ?? undefined;
    const answers = node ? withNode(wizard, node, before) : { ...wizard, node: picked };
    return redirect(wizardHref({ ...answers, step: 'what' }));
  }
  const sent = wizard.step === 'check' ? await sentBefore(services, wizard) : null;
  // In the place of the entry that the way back came to, or one could not go back beyond it.
  if (sent !== null && sent !== 'other')
    return replace(followHref(sent.id, wizard.earlier), { headers: SECRET_HEADERS });
  const check = wizard.name === '' ? null : await checkName(services, wizard.name);
  const problems =
    wizard.step === 'name' ? {} : checkAnswers(services, wizard, wizard.step === 'check');
  const step = reachable(wizard.step, check, problems);
  if (step === 'check' && check && (wizard.key === '' || sent === 'other')) {
    // In the address, so that a reload and another tab send the same one.
    const to = wizardHref({ ...wizard, name: check.name, key: crypto.randomUUID() });
    return sent === 'other' ? replace(`${to}&${CHANGED}`) : redirect(to);
  }
  const { config, registry, mesh } = services;
  const node = step !== 'name' && NODE_ID_PATTERN.test(wizard.node) ? mesh.node(wizard.node) : null;
  return {
    updatedAt: new Date().toISOString(),
    origin: origin(),
    wizard: { ...wizard, step },
    asked: wizard.step,
    changed: searchParams.has(CHANGED),
    check,
    problems,
    rule: NAME_RULE,
    fee: dollars(config.feeCents / 100),
    cashtag: config.cashtag,
    holdMs: config.holdMs,
    offered: step === 'what' ? mesh.unnamedNodes(wizard.node) : null,
    typed: node && knownOf(node),
    label: step === 'check' ? registry.shownLabel(wizard) : '',
  };
}

/** In the address of the last step: its form was sent before, with other answers. */
const CHANGED = 'changed';

const knownOf = ({ peer, names, blocked }: NodeDetails): TypedNode => ({
  status: peer?.status ?? null,
  lastSeen: peer?.lastSeen ?? null,
  names: names.map(({ name }) => name),
  blocked,
});

/**
 * POST /register: starts the registration. Sent twice with its key it starts one. What is wrong with the
 * answers by now shows at their fields, on the step that asks for them.
 */
export function action(args: ActionFunctionArgs) {
  const { context } = args;
  return handleForm(
    args,
    async (form) => {
      const wizard = readWizard(form);
      const again = (key = '') => redirect(wizardHref({ ...wizard, step: 'check', key }), 303);
      const start = startOf(wizard);
      if (!start.success) return again();
      await context.limits.registration(context.client());
      try {
        const { id } = await context.services.registry.start(start.data, wizard.key || undefined);
        return redirect(followHref(id, wizard.earlier), { status: 303, headers: SECRET_HEADERS });
      } catch (error) {
        if (!isAppError(error) || error.code === 'unavailable') throw error;
        context.error = error;
        // With its key the page can tell that other answers were sent before.
        return again(error.code === 'invalid_state' ? wizard.key : '');
      }
    },
    REGISTER_BODY_BYTES,
  );
}

/** What the last data were, and of which answers: shown on while the service does not answer. */
let shown: ReturnType<typeof useLoaderData<typeof loader>> | undefined;

/** The browser's side of the loader: without an answer the step stays, with all that was typed. */
export async function clientLoader({ request, serverLoader }: ClientLoaderFunctionArgs) {
  try {
    return await withTimeout(serverLoader<typeof loader>());
  } catch (thrown) {
    if (isAnswer(thrown) || !shown) throw thrown;
    const { step } = shown.wizard;
    const wizard = { ...readWizard(new URL(request.url).searchParams), step };
    return { ...shown, wizard, check: null, problems: {}, away: true };
  }
}

/** Likewise of the action: the same form, sent again, carries the same key. */
export const clientAction = (args: ClientActionFunctionArgs) =>
  offlineAction(args, () => 'Send it again: that registers nothing twice.');

/** When a refused form may be sent again. */
export const headers: HeadersFunction = ({ actionHeaders }) => actionHeaders;

export const meta: MetaFunction<typeof loader> = ({ data }) => [
  ...pageMeta(
    data && data.wizard.step !== 'name'
      ? `${TITLES[data.wizard.step]}, register a name`
      : 'Register a name',
    'Register a public name for a node of the mesh, a compute, or both: choose it, pay the fee, and a reviewer activates it.',
    data && `${data.origin}/register`,
  ),
  // Half of a form is nothing to be found.
  ...(data && wizardHref(data.wizard) !== '/register'
    ? [{ name: 'robots', content: 'noindex' }]
    : []),
];

const TITLES: Record<Step, string> = {
  name: 'Which name?',
  what: 'What is it?',
  check: 'Is all of it right?',
};
const WAY: Record<Step, WayStep> = { name: 'Name', what: 'What it is', check: 'Check' };

export default function Register() {
  const loaded = useLoaderData<typeof loader>();
  const refused = useActionData<typeof action>();
  const formKey = useFormKey();
  useHeadingFocus(formKey);
  useEffect(() => {
    shown = loaded;
    return () => (shown = undefined);
  }, [loaded]);
  const { wizard, check, problems } = loaded;
  const { step } = wizard;
  // What happened to the form says it better.
  const away = 'away' in loaded && !refused;
  const { answers, ...kept } = useKeptAnswers(wizard, formKey);
  const href = (to: Step) => wizardHref({ ...answers, key: '', step: to });
  return (
    <PageMoment.Provider value={Date.parse(loaded.updatedAt)}>
      <Page
        className="wizard"
        title={step === 'what' ? <>What is “{wizard.name}”?</> : TITLES[step]}
        intro={
          step === 'name' && `It costs ${loaded.fee}, once. You pay after you have seen all of it.`
        }
        above={
          <StepLine
            current={WAY[step]}
            links={{ Name: href('name'), 'What it is': href('what') }}
          />
        }
      >
        {away && (
          <p className="form-error" role="alert">
            The service does not answer. What you typed is kept; try again in a moment.
          </p>
        )}
        {step === 'name' && (
          <>
            <NameStep
              key={formKey}
              wizard={wizard}
              check={check}
              missing={loaded.asked !== 'name' && check === null && !away}
              rule={loaded.rule}
              kept={kept}
            />
            <OwnRegistrations />
          </>
        )}
        {step === 'what' && loaded.offered && (
          <WhatStep
            key={formKey}
            wizard={wizard}
            problems={problems}
            offered={loaded.offered}
            typed={loaded.typed}
            kept={kept}
            back={href('name')}
          />
        )}
        {step === 'check' && (
          <CheckStep
            wizard={wizard}
            label={loaded.label}
            blocked={loaded.typed?.blocked ?? false}
            fee={loaded.fee}
            holdMs={loaded.holdMs}
            changed={loaded.changed}
            error={refused?.error}
          />
        )}
      </Page>
    </PageMoment.Provider>
  );
}
