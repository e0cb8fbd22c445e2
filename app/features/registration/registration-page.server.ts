import { data, redirect, type ActionFunctionArgs, type LoaderFunctionArgs } from '@remix-run/node';
import { ERROR_STATUS, isAppError } from '#server/common/errors.schema.ts';
import { REGISTER_BODY_BYTES } from '@mesh-registry/protocol/values.schema.ts';
import { canonicalNote } from '@mesh-registry/protocol/rest/payment-note.schema.ts';
import type { NodeDetails } from '#server/nodes/index.ts';
import * as hrefs from '#app/lib/hrefs.ts';
import { formValues, handleForm, runIntent } from '#app/lib/form-action.server.ts';
import { qrCode } from '#app/lib/qr.server.ts';
import { SECRET_HEADERS } from '#app/lib/secret-headers.ts';

/** GET /register/:id: the progress of a registration, for anyone who has its link. 404 if there is none. */
export async function loadRegistration({ params, request, context }: LoaderFunctionArgs) {
  const { api, services, origin } = context;
  const page = {
    updatedAt: new Date().toISOString(),
    origin: origin(),
    /** Whether this server asks nodes for its secret. */
    credential: services.config.webhookSecrets.length > 0,
    /** The note of the registration that led to this one. */
    earlier: canonicalNote(new URL(request.url).searchParams.get('earlier') ?? ''),
  };
  try {
    const progress = await api.registry.follow({ id: params['id'] ?? '' });
    const { registration, updatedAt } = progress;
    const payable = ['pending_payment', 'pending_review'].includes(registration.status);
    return {
      ...page,
      updatedAt,
      progress,
      unavailable: false,
      /** What the map says of its node. */
      node: nodeOf(services.nodes.details(registration.nodeId).peer),
      qr: payable ? qrCode(registration.payUrl) : null,
    };
  } catch (error) {
    if (!isAppError(error) || error.code === 'internal') throw error;
    const unavailable = error.code === 'unavailable' || error.code === 'rate_limited';
    return data(
      { ...page, progress: null, unavailable, node: null, qr: null },
      { status: unavailable ? ERROR_STATUS[error.code] : 404 },
    );
  }
}

const nodeOf = (peer: NodeDetails['peer']) => peer && { label: peer.label, status: peer.status };

/** Takes a region in any case of letters, as the wizard does. */
const withRegion = ({ region = '', ...values }: { id: string; region?: string }) => ({
  ...values,
  region: region.trim().toUpperCase(),
});

/**
 * POST /register/:id: the operator reports the payment; sent again it changes only the confirmation text, if one was
 * entered. Other forms of the page correct the details, and cancel the registration.
 */
export function changeRegistration(args: ActionFunctionArgs) {
  const { params, context } = args;
  const id = params['id'] ?? '';
  return handleForm(
    args,
    async (form) => {
      const { registry } = context.api;
      const values = { ...formValues(form), id };
      if (form.has('intent')) {
        await runIntent(form, {
          correct: () => registry.correctDetails(withRegion(values)),
          cancel: () => registry.cancel({ id }),
          answer: () => registry.answer(values as unknown as Parameters<typeof registry.answer>[0]),
        });
        // The job that was open stays open.
        const { search } = new URL(args.request.url);
        return redirect(`${hrefs.registration(id)}${search}`, {
          status: 303,
          headers: SECRET_HEADERS,
        });
      } else await registry.submitConfirmation(values);
      return redirect(hrefs.registration(id), { status: 303, headers: SECRET_HEADERS });
    },
    REGISTER_BODY_BYTES,
  );
}
