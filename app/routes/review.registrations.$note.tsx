import type { ActionFunctionArgs, LoaderFunctionArgs, MetaFunction } from '@remix-run/node';
import { Link, useLoaderData } from '@remix-run/react';
import { useRef } from 'react';
import { isAppError } from '#server/common/errors.schema.ts';
import type { HistoryEntry, Opened } from '#server/review/review-desk.ts';
import { exact } from '#app/lib/clock.ts';
import { ConnectionStatus } from '#app/features/live/connection-status.tsx';
import { Panel } from '#app/ui/panel.tsx';
import { Decide, settled } from '#app/features/review/queue/decide.tsx';

import { formErrorOf } from '#app/lib/form-error.ts';
import { KeysHelp } from '#app/features/review/queue/keys-help.tsx';
import { openHref } from '#app/features/review/queue/queue-table.tsx';
import {
  AlsoOf,
  NodeNow,
  RegistrationFacts,
  RegistrationStatus,
} from '#app/features/review/queue/registration-facts.tsx';
import { ReviewPage } from '#app/features/review/review-page.tsx';
import { Told } from '#app/features/review/queue/decision-feedback.tsx';
import { UndoBar } from '#app/features/review/queue/undo-bar.tsx';
import { useKeys } from '#app/features/review/queue/use-keys.ts';
import { changeWords, statusWords } from '#app/features/review/labels.ts';
import { useFormResult } from '#app/lib/use-form-result.ts';
import { usePageRefresh } from '#app/lib/page-refresh.ts';
import { RelativeTime } from '#app/ui/relative-time.tsx';
import { decideAction } from '#app/features/review/queue/decide.server.ts';
import { redirectToCanonicalNote, requireReviewer } from '#app/features/review/review.server.ts';

export async function loader(args: LoaderFunctionArgs) {
  const { email: me } = await requireReviewer(args);
  const { params, context } = args;
  redirectToCanonicalNote(params['note'] ?? '', (note) => `/review/registrations/${note}`);
  try {
    const found = await context.services.review.registration({
      note: params['note'] ?? '',
      reviewer: me,
    });
    return { ...found, me };
  } catch (error) {
    if (isAppError(error) && error.code === 'not_found')
      // eslint-disable-next-line @typescript-eslint/only-throw-error
      throw new Response(null, { status: 404, statusText: 'Not Found' });
    throw error;
  }
}
export {
  offlineAction as clientAction,
  offlineLoader as clientLoader,
} from '#app/lib/stale-while-offline.ts';
/** Also after a form that was refused: somebody else changed what it was about. */
export const shouldRevalidate = () => true;

export const action = (args: ActionFunctionArgs) => {
  const here = `/review/registrations/${encodeURIComponent(args.params['note'] ?? '')}`;
  return decideAction(args, { after: () => here, stay: () => here });
};

export const meta: MetaFunction<typeof loader> = ({ data }) => [
  { title: `${data?.registration.name ?? 'Registration'} · Review · Mesh Registry` },
];

/** One registration is small: it is asked for this often, so that a decision shows when it takes effect (ms). */
const REFRESH_MS = 3000;

export default function Registration() {
  const loaded = useLoaderData<typeof loader>();
  const { registration, history, mine, me } = loaded;
  const problem = formErrorOf(
    useFormResult<typeof action>(
      JSON.stringify([registration.status, registration.decision]),
      settled(registration.note),
    ),
  );
  const connection = usePageRefresh(loaded, REFRESH_MS);
  const help = useRef<HTMLDialogElement>(null);
  const { note, name, status, decidedBy } = registration;
  const here = `/review/registrations/${note}`;
  useKeys({ open: registration, mine, action: here, help: () => help.current?.showModal() });
  return (
    <ReviewPage
      updatedAt={loaded.updatedAt}
      className="registration-page"
      title={name}
      intro={<RegistrationStatus {...{ status, decidedBy }} />}
      actions={
        <>
          {status === 'pending_review' && (
            <Link className="button" to={openHref(note)}>
              Open in the queue
            </Link>
          )}
          {status === 'active' && (
            <Link className="button" to={`/registry/${name}`}>
              Public page
            </Link>
          )}
        </>
      }
      live={<ConnectionStatus connection={connection} madeAt={loaded.updatedAt} />}
    >
      <Told mine={mine} problem={problem?.fields['reason'] === undefined ? problem : undefined} />
      <div className="panels">
        <Panel title="Registration">
          <RegistrationFacts registration={registration} />
          <Dates registration={registration} />
        </Panel>
        <Panel title="History">
          <ol className="past-states">
            {history.map((entry) => (
              <Step key={`${entry.at} ${entry.to}`} entry={entry} />
            ))}
          </ol>
          <Decide {...{ registration, action: here, me, problem }} />
        </Panel>
        <Panel title="Node and name">
          <NodeNow
            registration={registration}
            asOf={connection.state === 'stale' ? connection.asOf : null}
          />
          <AlsoOf registration={registration} />
        </Panel>
      </div>
      <UndoBar mine={mine} action={here} />
      <KeysHelp dialog={help} />
    </ReviewPage>
  );
}

function Dates({ registration }: { registration: Opened }) {
  const { status, createdAt, expiresAt, activatedAt, decidedAt, decidedBy, rejectionReason } =
    registration;
  return (
    <dl className="facts review-facts">
      <dt>Started</dt>
      <dd>{exact(createdAt)}</dd>
      {status === 'pending_payment' && (
        <>
          <dt>Held until</dt>
          <dd>{exact(expiresAt)}</dd>
        </>
      )}
      {activatedAt && status === 'active' && (
        <>
          <dt>Active since</dt>
          <dd>{exact(activatedAt)}</dd>
        </>
      )}
      {activatedAt && status === 'rejected' && decidedAt && (
        <>
          <dt>Was active</dt>
          <dd>
            {exact(activatedAt)} to {exact(decidedAt)}
          </dd>
        </>
      )}
      {decidedBy && (
        <>
          <dt>Decided by</dt>
          <dd>{decidedBy}</dd>
        </>
      )}
      {rejectionReason && (
        <>
          <dt>Reason</dt>
          <dd>{rejectionReason}</dd>
        </>
      )}
    </dl>
  );
}

/** One change of state: what happened, what it is since, why. */
function Step({ entry }: { entry: HistoryEntry }) {
  return (
    <li>
      <strong>{changeWords(entry)}</strong>
      <span className="secondary">
        {statusWords({ status: entry.to, decidedBy: entry.actor }).word} since {exact(entry.at)},{' '}
        <RelativeTime at={entry.at} />
      </span>
      {entry.reason && <span>“{entry.reason}”</span>}
    </li>
  );
}
