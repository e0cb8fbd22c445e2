import {
  data,
  redirect,
  type ActionFunctionArgs,
  type HeadersFunction,
  type LoaderFunctionArgs,
  type MetaFunction,
} from '@remix-run/node';
import { useLoaderData, useLocation, type ClientActionFunctionArgs } from '@remix-run/react';
import { useEffect } from 'react';
import { isAppError, parse } from '#server/common/errors.schema.ts';
import { canonicalNote } from '#server/payments/note.schema.ts';
import { Confirm } from '#server/registration/register.schema.ts';
import { REGISTER_BODY_BYTES } from '#server/common/values.schema.ts';
import type { FollowedRegistration } from '#server/registration/status.ts';
import { PageMoment } from '#app/lib/clock.ts';
import { ConnectionStatus } from '#app/features/live/connection-status.tsx';
import { KeepLink } from '#app/features/registration/keep-link.tsx';
import { Page } from '#app/ui/page.tsx';
import { Active } from '#app/features/registration/active.tsx';
import { BlockedNode } from '#app/features/registration/blocked-node.tsx';
import { Lapsed } from '#app/features/registration/lapsed.tsx';
import { NotThere } from '#app/features/registration/not-there.tsx';
import { Pay } from '#app/features/registration/pay.tsx';
import { Rejected } from '#app/features/registration/rejected.tsx';
import { Said } from '#app/features/registration/said.tsx';
import { StepLine, type StepLineProps } from '#app/features/registration/step-line.tsx';
import { useDraft } from '#app/features/registration/use-draft.ts';
import { useHeadingFocus } from '#app/features/registration/use-heading-focus.ts';
import { Waiting } from '#app/features/registration/waiting.tsx';
import { useFormResult } from '#app/lib/use-form-result.ts';
import { usePageRefresh } from '#app/lib/page-refresh.ts';
import { span } from '#app/lib/duration.ts';
import { handleForm } from '#app/lib/form-action.server.ts';
import { dollars } from '#app/lib/formatters.ts';
import { offlineAction } from '#app/lib/stale-while-offline.ts';
import { rememberRegistration } from '#app/features/registration/saved-registrations.ts';
import { pageMeta } from '#app/lib/page-meta.ts';
import { qrCode } from '#app/lib/qr.server.ts';
import { SECRET_HEADERS } from '#app/lib/secret-headers.ts';

/** A decision shows within this time (ms); in a tab that nobody sees, in its title, within the second. */
const REFRESH_MS = 5000;
const HIDDEN_REFRESH_MS = 60_000;

/** GET /register/:id: where a registration stands, for whoever has its address. 404 where there is none. */
export async function loader({
  params,
  request,
  context: { services, origin },
}: LoaderFunctionArgs) {
  const page = {
    updatedAt: new Date().toISOString(),
    origin: origin(),
    credential: services.config.webhookSecrets.length > 0,
    /** The note of a registration before this one, where that led here. */
    earlier: canonicalNote(new URL(request.url).searchParams.get('earlier') ?? ''),
  };
  try {
    const followed = await services.registry.follow(params['id'] ?? '');
    const { registration, updatedAt } = followed;
    const payable = ['pending_payment', 'pending_review'].includes(registration.status);
    return {
      ...page,
      updatedAt,
      followed,
      why: null,
      qr: payable ? qrCode(registration.payUrl) : null,
    };
  } catch (error) {
    if (!isAppError(error) || (error.code !== 'not_found' && error.code !== 'unavailable'))
      throw error;
    const status = error.code === 'not_found' ? 404 : 503;
    return data({ ...page, followed: null, why: error.code, qr: null }, { status });
  }
}
export { offlineLoader as clientLoader } from '#app/lib/stale-while-offline.ts';
/** Also after a form that was refused: somebody else changed what it was about. */
export const shouldRevalidate = () => true;

/**
 * POST /register/:id: the fee is paid, says the operator. Sent again it changes nothing but the confirmation
 * text, where one was typed.
 */
export function action(args: ActionFunctionArgs) {
  const { params, context } = args;
  const id = params['id'] ?? '';
  return handleForm(
    args,
    async (form) => {
      const body = { id, cashConfirm: form.get('cashConfirm') ?? undefined };
      const confirm = parse(Confirm.omit({ action: true }), body, 'invalid_body');
      await context.limits.registration(context.client());
      await context.services.registry.submitConfirmation(confirm, form.has('corrects'));
      return redirect(`/register/${id}`, { status: 303, headers: SECRET_HEADERS });
    },
    REGISTER_BODY_BYTES,
  );
}

/** Without an answer the form stays as it is: confirming twice changes nothing. */
export const clientAction = (args: ClientActionFunctionArgs) =>
  offlineAction(args, () => 'Send it again: that does no harm.');

export const headers: HeadersFunction = ({ actionHeaders }) => {
  const headers = new Headers(actionHeaders);
  for (const [name, value] of Object.entries(SECRET_HEADERS)) headers.set(name, value);
  return headers;
};

export const meta: MetaFunction<typeof loader> = ({ data }) => [
  ...pageMeta(
    data?.followed ? titleOf(data.followed) : 'No such registration',
    'A registration: where it stands, for whoever has its address.',
  ),
  { name: 'robots', content: 'noindex, nofollow' },
];

/** For the tab: what it says changes when a reviewer decides. */
function titleOf({
  registration: { name, status },
  lapsed,
  activated,
}: FollowedRegistration): string {
  switch (status) {
    case 'pending_payment':
      return `Pay for ${name}`;
    case 'pending_review':
      return `${name} waits for review`;
    case 'active':
      return `${name} is active`;
    case 'rejected':
      if (lapsed) return `${name} is no longer held`;
      return activated ? `${name} is no longer active` : `${name} was not activated`;
  }
}

export default function FollowPage() {
  const loaded = useLoaderData<typeof loader>();
  const connection = usePageRefresh(loaded, REFRESH_MS, HIDDEN_REFRESH_MS);
  const { followed, why } = loaded;
  const live = <ConnectionStatus connection={connection} madeAt={loaded.updatedAt} />;
  return (
    <PageMoment.Provider value={Date.parse(loaded.updatedAt)}>
      {followed ? (
        <Followed loaded={{ ...loaded, followed }} live={live} />
      ) : (
        <NotThere away={why === 'unavailable'} live={live} />
      )}
    </PageMoment.Provider>
  );
}

type Loaded = ReturnType<typeof useLoaderData<typeof loader>>;
interface FollowedProps {
  loaded: Loaded & { followed: FollowedRegistration };
  live: JSX.Element;
}

function Followed({ loaded, live }: FollowedProps) {
  const { followed, qr, origin, credential, earlier } = loaded;
  const { registration, confirmed, activated, lapsed, nameGone, nodeBlocked, cashtag } = followed;
  const { id, name, nodeId, status, createdAt, expiresAt } = registration;
  const refused = useFormResult<typeof action>(status);
  const gone = nameGone || refused?.code === 'name_taken';
  useEffect(() => rememberRegistration({ id, name }), [id, name]);
  // Of one's own doing only: what changes by itself is said, and moves nothing.
  useHeadingFocus(useLocation().key);
  const quoted = `“${name}”`;
  const fee = dollars(registration.feeUsd);
  const draft = useDraft(`${status} ${nameGone}`, status === 'pending_payment' || lapsed);
  const shared = { followed, refused: refused ?? null, draft };
  const page = (
    title: string,
    line: StepLineProps,
    intro: string | false,
    children: JSX.Element,
  ) => (
    <Page
      className="wizard follow"
      title={title}
      intro={intro}
      above={<StepLine {...line} />}
      live={live}
    >
      <Said text={`${titleOf(followed)}.`} />
      {nodeBlocked && status !== 'rejected' && (
        <BlockedNode>
          The reviewers have blocked its node, <code>{nodeId}</code>: heartbeats and announces of it
          are refused until the block is lifted. If it is yours, ask whoever runs this network.
        </BlockedNode>
      )}
      {children}
      <KeepLink href={`${origin}/register/${id}`} />
    </Page>
  );
  switch (status) {
    case 'pending_payment':
      return page(
        `Pay ${fee} to hold ${quoted}`,
        { current: 'Pay' },
        false,
        <Pay {...shared} {...{ qr, fee, cashtag, earlier }} />,
      );
    case 'pending_review':
      return page(
        `${quoted} waits for a reviewer`,
        { current: 'Review' },
        'You said that you have paid. A person looks for the payment, then activates the name.',
        <Waiting {...shared} {...{ qr, fee, cashtag }} />,
      );
    case 'active':
      return page(
        `${quoted} is active`,
        { current: 'Active' },
        'It is in the registry, for everybody to see.',
        <Active {...{ followed, origin, credential }} blocked={nodeBlocked} />,
      );
    case 'rejected':
      return lapsed
        ? page(
            `${quoted} is no longer held for you`,
            { current: 'Pay', ended: true },
            `No payment was confirmed within ${span(Date.parse(expiresAt) - Date.parse(createdAt))}, ${gone ? 'and somebody else has registered the name since' : 'so anybody may register the name again'}.`,
            <Lapsed {...shared} />,
          )
        : page(
            `${quoted} ${activated ? 'is no longer active' : 'was not activated'}`,
            { current: activated ? 'Active' : confirmed ? 'Review' : 'Pay', ended: true },
            false,
            <Rejected followed={followed} />,
          );
  }
}
