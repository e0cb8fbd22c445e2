import {
  redirect,
  replace,
  type ActionFunctionArgs,
  type LoaderFunctionArgs,
} from '@remix-run/node';
import { isAppError } from '#server/common/errors.schema.ts';
import { NODE_ID_PATTERN, REGISTER_BODY_BYTES } from '@mesh-registry/protocol/values.schema.ts';
import type { NodeDetails } from '#server/nodes/index.ts';
import * as hrefs from '#app/lib/hrefs.ts';
import { handleForm } from '#app/lib/form-action.server.ts';
import { dollars } from '#app/lib/formatters.ts';
import { SECRET_HEADERS } from '#app/lib/secret-headers.ts';
import {
  checkAnswers,
  checkName,
  reachableStep,
  sentBefore,
  startOf,
} from './wizard-answers.server.ts';
import { readAnswers, wizardHref } from './wizard.ts';

/** The parameter by which the last step’s URL says that its form was sent before, with other answers. */
const CHANGED = 'changed';

/** At most this many regions are suggested. */
const REGIONS_MAX = 50;

/**
 * GET /register: the step that the URL asks for, or an earlier one where something is wrong. Reads only; the
 * answers are checked by the functions that a start uses.
 */
export async function loadWizard({ request, context }: LoaderFunctionArgs) {
  const { api, services, origin } = context;
  const { searchParams } = new URL(request.url);
  const answers = readAnswers(searchParams);
  const sent = answers.step === 'check' ? await sentBefore(api, answers) : null;
  // Replaces the history entry; otherwise the back button could never get past it.
  if (sent !== null && sent !== 'other')
    return replace(hrefs.registration(sent.id, answers.earlier), { headers: SECRET_HEADERS });
  const check = answers.name === '' ? null : await checkName(api, answers.name);
  const errors =
    answers.step === 'name' ? {} : await checkAnswers(api, answers, answers.step === 'check');
  const step = reachableStep(answers.step, check, errors);
  if (step === 'check' && check && (answers.key === '' || sent === 'other')) {
    // The key is in the URL, so that a reload and another tab send the same one.
    const to = wizardHref({ ...answers, name: check.name, key: crypto.randomUUID() });
    return sent === 'other' ? replace(`${to}&${CHANGED}`) : redirect(to);
  }
  const { config, mesh, nodes } = services;
  const node =
    step !== 'name' && NODE_ID_PATTERN.test(answers.node) ? nodes.details(answers.node) : null;
  return {
    updatedAt: new Date().toISOString(),
    origin: origin(),
    answers: { ...answers, step },
    asked: answers.step,
    changed: searchParams.has(CHANGED),
    check,
    errors,
    fee: dollars(config.feeCents / 100),
    holdMs: config.holdMs,
    /** Suggestions, the most frequent first. */
    regions: step === 'what' ? mesh.regions().slice(0, REGIONS_MAX) : null,
    typed: node && typedNode(answers.node, node),
    label: step === 'check' ? await api.registry.displayLabel(answers) : '',
  };
}

export type LoadedWizard = Exclude<Awaited<ReturnType<typeof loadWizard>>, Response>;

/** What the service knows of a node whose id was typed. */
export type TypedNode = ReturnType<typeof typedNode>;

const typedNode = (id: string, { peer, names, blocked, similar }: NodeDetails) => ({
  id,
  /** What its heartbeats say; null if it was never heard of, or is blocked. */
  reported: peer && {
    status: peer.status,
    lastSeen: peer.lastSeen,
    class: peer.class,
    region: peer.region,
  },
  /** Those that are active. */
  names: names.map(({ name }) => name),
  /** Whether reviewers have blocked it; its reports are hidden then. */
  blocked,
  /** Other nodes whose ids differ from it only in the case of letters. */
  similar,
});

/**
 * POST /register: starts the registration; sent twice with its key, it starts one. Answers that have become
 * wrong meanwhile show at their fields, on their step.
 */
export function startRegistration(args: ActionFunctionArgs) {
  const { context } = args;
  return handleForm(
    args,
    async (form) => {
      const answers = readAnswers(form);
      try {
        const { id } = await context.api.registry.start({
          ...startOf(answers),
          idempotencyKey: answers.key,
        });
        return redirect(hrefs.registration(id, answers.earlier), {
          status: 303,
          headers: SECRET_HEADERS,
        });
      } catch (error) {
        if (!isAppError(error) || ['unavailable', 'rate_limited'].includes(error.code)) throw error;
        context.error = error;
        // With its key the page can tell that other answers were sent before.
        const key = error.code === 'invalid_state' ? answers.key : '';
        return redirect(wizardHref({ ...answers, step: 'check', key }), 303);
      }
    },
    REGISTER_BODY_BYTES,
  );
}
