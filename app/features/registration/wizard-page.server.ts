import {
  redirect,
  replace,
  type ActionFunctionArgs,
  type AppLoadContext,
  type LoaderFunctionArgs,
} from '@remix-run/node';
import { isAppError } from '#server/common/errors.schema.ts';
import {
  NODE_ID_PATTERN,
  REGISTER_BODY_BYTES,
  UNKNOWN_REGION,
} from '@mesh-registry/protocol/values.schema.ts';
import * as hrefs from '#app/lib/hrefs.ts';
import { handleForm } from '#app/lib/form-action.server.ts';
import { dollars, regionName } from '#app/lib/formatters.ts';
import { SECRET_HEADERS } from '#app/lib/secret-headers.ts';
import {
  checkAnswers,
  checkName,
  reachableStep,
  sentBefore,
  startOf,
  stepErrors,
  type FieldErrors,
} from './wizard-answers.server.ts';
import {
  detailsOf,
  EARLIER_ID,
  ownAnswers,
  readAnswers,
  wizardHref,
  type Step,
  type WizardAnswers,
} from './wizard.ts';

/** The parameter by which the last step’s URL says that its form was sent before, with other answers. */
const CHANGED = 'changed';

/** The parameter by which a node’s page asks for the name of one of its offers. */
const FIRST_OFFER = 'offer';

/** At most this many regions are suggested. */
const REGIONS_MAX = 50;

/**
 * GET /register: the step that the URL asks for, or an earlier one where something is wrong. Reads only; the
 * answers are checked by the functions that a start uses.
 */
export async function loadWizard({ request, context }: LoaderFunctionArgs) {
  const { api, services, origin } = context;
  const { searchParams } = new URL(request.url);
  const entered = readAnswers(searchParams);
  const node = knownNode(services, entered.node);
  if (searchParams.has(FIRST_OFFER)) {
    const offer = node?.offers.find(({ state }) => state === 'available');
    return redirect(wizardHref({ ...entered, name: offer?.name ?? '' }));
  }
  const reported = node?.reported;
  const answers = ownAnswers(entered, reported);
  const sent = answers.step === 'check' ? await sentBefore(api, answers) : null;
  // Replaces the history entry; otherwise the back button could never get past it.
  if (sent !== null && sent !== 'other')
    return replace(hrefs.registration(sent.id, answers.earlier), { headers: SECRET_HEADERS });
  const check = answers.name === '' ? null : await checkName(api, answers.name, nearOf(node));
  const { errors, suggestedLabel } = await checkAnswers(api, answers);
  const reached = reachableStep(answers.step, check, errors);
  const next = afterNode(searchParams.get('from'), reached, answers, node, errors);
  // What is said of the node that was entered, and its offers, are seen before its step is left.
  if (next === 'node' && reached !== 'node') return replace(wizardHref({ ...answers, step: next }));
  if (next === 'check' && check && (answers.key === '' || sent === 'other')) {
    // The key is in the URL, so that a reload and another tab send the same one.
    const to = wizardHref({
      ...answers,
      step: next,
      name: check.name,
      key: crypto.randomUUID(),
    });
    return sent === 'other' ? replace(`${to}&${CHANGED}`) : redirect(to);
  }
  const { config, mesh, registration, registry } = services;
  return {
    updatedAt: new Date().toISOString(),
    origin: origin(),
    // As it will be registered; where it is typed it stays as it was.
    answers: {
      ...answers,
      step: next,
      name: next === 'name' ? answers.name : (check?.name ?? answers.name),
    },
    asked: answers.step,
    changed: searchParams.has(CHANGED),
    check,
    /** Since when the name is somebody’s, if it is active. */
    activeSince:
      check?.problem === 'taken' ? (registry.name(check.name).entry?.activatedAt ?? null) : null,
    errors: stepErrors(next, answers.step, errors),
    suggestedLabel,
    fee: dollars(config.feeCents / 100),
    holdMs: config.holdMs,
    /** How long a review usually takes; null: unknown. */
    usualMs: await registration.usualReviewMs(),
    /** Suggestions, the most frequent first. */
    regions: next === 'details' ? mesh.regions().slice(0, REGIONS_MAX) : null,
    node,
    /** What is registered. */
    details: detailsOf(answers, reported),
    /** Whether the step of the details is passed by. */
    skipsDetails: skipsDetails(node, errors),
  };
}

export type LoadedWizard = Exclude<Awaited<ReturnType<typeof loadWizard>>, Response>;

/** Whether the name of an offer can be registered; `active`: it is the node’s already. */
type OfferState = 'available' | 'taken' | 'reserved' | 'invalid' | 'active';

/** What the service knows of a node whose id was entered. */
export type KnownNode = NonNullable<ReturnType<typeof knownNode>>;

/** @param id as it was entered */
function knownNode({ nodes, names: registered }: AppLoadContext['services'], id: string) {
  if (!NODE_ID_PATTERN.test(id)) return null;
  const { peer, names, blocked, similar, computes } = nodes.details(id);
  /** Whether an offer’s name could be registered. */
  const stateOf = (name: string): OfferState => {
    if (names.some((active) => active.name === name)) return 'active';
    try {
      return registered.availability(name).reason ?? 'available';
    } catch (error) {
      // While the database is away; the start says it.
      if (isAppError(error)) return 'available';
      throw error;
    }
  };
  return {
    id,
    /** What its heartbeats say; null if it was never heard of, or is blocked. */
    reported: peer && {
      status: peer.status,
      lastSeen: peer.lastSeen,
      // Without a label it is shown by its id, which is no label of its name.
      label: peer.label === id ? '' : peer.label,
      class: peer.class,
      region: peer.region === UNKNOWN_REGION ? '' : peer.region,
    },
    /** Those that are active. */
    names: names.map(({ name }) => name),
    /** What it announces, as its page shows it. */
    offers: computes.map(({ name, image, replicas, freeSlots }) => ({
      name,
      image,
      replicas,
      freeSlots,
      state: stateOf(name),
    })),
    /** Whether reviewers have blocked it; its reports are hidden then. */
    blocked,
    /** Other nodes whose ids differ from it only in the case of letters. */
    similar,
  };
}

/** What is known of a node, for names that are suggested: its place and its label. */
const nearOf = (node: KnownNode | null): string[] =>
  [regionName(node?.reported?.region ?? ''), node?.reported?.label].filter(
    (text) => !!text,
  ) as string[];

/** Whether a node’s own operator should see something of it before going on. */
const isRemarkable = ({ blocked, similar, names, offers }: KnownNode, answers: WizardAnswers) =>
  blocked ||
  similar.count > 0 ||
  names.length > 0 ||
  (answers.kinds.includes('compute') &&
    offers.length > 0 &&
    offers.every(({ name }) => name !== answers.name));

/** A node that is up says its details itself. */
const skipsDetails = (node: KnownNode | null, errors: FieldErrors): boolean =>
  !!node?.reported &&
  node.reported.status !== 'offline' &&
  !errors.label &&
  !errors.class &&
  !errors.region;

/**
 * The step that follows that of the node.
 * @param from `field`: its id was entered, and nothing of it has been shown; `node`: it was chosen before
 * @param reached the step without this
 */
function afterNode(
  from: string | null,
  reached: Step,
  answers: WizardAnswers,
  node: KnownNode | null,
  errors: FieldErrors,
): Step {
  if (reached !== 'details' || (from !== 'field' && from !== 'node')) return reached;
  if (from === 'field' && node && isRemarkable(node, answers)) return 'node';
  return skipsDetails(node, errors) ? 'check' : reached;
}

/**
 * Starts the registration.
 * @param earlierId of the registration that ended before it, as the form has it. If it can't be that, such as because
 * its payment has been reported meanwhile, the registration is started without it.
 */
async function startKnown(
  { registry }: AppLoadContext['api'],
  answers: WizardAnswers,
  earlierId: FormDataEntryValue | null,
) {
  const start = { ...startOf(answers), idempotencyKey: answers.key };
  if (typeof earlierId !== 'string') return registry.start(start);
  try {
    return await registry.start({ ...start, earlierId });
  } catch (error) {
    if (!isAppError(error) || error.issues?.[0]?.path !== EARLIER_ID) throw error;
    return registry.start(start);
  }
}

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
        const { id } = await startKnown(context.api, answers, form.get(EARLIER_ID));
        return redirect(hrefs.startedRegistration(id, answers.earlier), {
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
