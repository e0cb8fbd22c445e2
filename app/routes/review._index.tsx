import {
  redirect,
  type ActionFunctionArgs,
  type LoaderFunctionArgs,
  type MetaFunction,
} from '@remix-run/node';
import { Link, useLoaderData, useNavigation } from '@remix-run/react';
import { useEffect, useRef, useState, type MutableRefObject } from 'react';
import { isAppError } from '#server/common/errors.schema.ts';
import { settled } from '#app/features/review/queue/decide.tsx';

import { formErrorOf } from '#app/lib/form-error.ts';
import { KeysHelp } from '#app/features/review/queue/keys-help.tsx';
import { Waiting } from '#app/features/review/moments.tsx';
import { OpenedPanel } from '#app/features/review/queue/registration-panel.tsx';
import { openHref, QueueTable } from '#app/features/review/queue/queue-table.tsx';
import { ReviewPage } from '#app/features/review/review-page.tsx';
import { goToPlace } from '#app/features/review/queue/rows.ts';
import { Told } from '#app/features/review/queue/decision-feedback.tsx';
import { titleWithCount, useReportPendingCount } from '#app/features/review/pending-count.tsx';
import { UndoBar } from '#app/features/review/queue/undo-bar.tsx';
import { useKeys } from '#app/features/review/queue/use-keys.ts';
import { useQueueChanges } from '#app/features/review/queue/use-queue-changes.ts';
import { usePresence } from '#app/features/review/queue/use-presence.ts';
import { ConnectionStatus } from '#app/features/live/connection-status.tsx';
import { useFormResult } from '#app/lib/use-form-result.ts';
import { usePageRefresh } from '#app/lib/page-refresh.ts';
import { count } from '#app/lib/formatters.ts';
import { staleReason } from '#app/lib/stale-while-offline.ts';
import { decideAction } from '#app/features/review/queue/decide.server.ts';
import { redirectToCanonicalNote, requireReviewer } from '#app/features/review/review.server.ts';

export async function loader(args: LoaderFunctionArgs) {
  const { email: me } = await requireReviewer(args);
  const { request, context } = args;
  const { review } = context.services;
  const open = new URL(request.url).searchParams.get('open') ?? undefined;
  redirectToCanonicalNote(open ?? '', openHref);
  try {
    // Loading the page opens the registration; scripts report what they open later themselves.
    const queue = await review.queue({ reviewer: me, open, markOpen: isDocument(request) });
    return { ...queue, me };
  } catch (error) {
    // The address of one that never was, or not yet here: another server's is known within a second.
    // eslint-disable-next-line @typescript-eslint/only-throw-error
    if (isAppError(error) && error.code === 'not_found') throw redirect('/review');
    throw error;
  }
}
export {
  offlineAction as clientAction,
  offlineLoader as clientLoader,
} from '#app/lib/stale-while-offline.ts';
/** Also after a form that was refused: somebody else changed what it was about. */
export const shouldRevalidate = () => true;

/** Scripts say that they ask for data; a browser without them, and anything else, asks for the page. */
const isDocument = ({ headers }: Request) => headers.get('sec-fetch-dest') !== 'empty';

export const action = (args: ActionFunctionArgs) =>
  decideAction(args, {
    after: (next) => (next === null ? '/review' : openHref(next)),
    stay: openHref,
  });

export const meta: MetaFunction<typeof loader> = ({ data }) => [
  { title: titleWithCount(data?.undecided ?? 0, 'Review queue · Mesh Registry') },
];

/** While it is looked at the page asks for everything this often, whatever the stream says: nodes come and go (ms). */
const REFRESH_MS = 20_000;

export default function Queue() {
  const loaded = useLoaderData<typeof loader>();
  const { items, total, undecided, mine, open, me } = loaded;
  const answer = useFormResult<typeof action>(
    JSON.stringify([open?.status, open?.decision]),
    settled(open?.note),
  );
  const idle = useNavigation().state === 'idle';
  const refreshed = usePageRefresh(loaded, REFRESH_MS);
  const streaming = useQueueChanges(staleReason(loaded) !== 'signed-out');
  const connection =
    streaming && refreshed.state !== 'stale' ? { state: 'live' as const } : refreshed;
  const help = useRef<HTMLDialogElement>(null);
  const here = `/review?${actionQuery(open?.note)}`;
  const waiting = open?.status === 'pending_review' ? open : null;
  useKeys({
    open: waiting,
    mine,
    action: here,
    help: () => help.current?.showModal(),
  });
  usePresence(waiting);
  useReportPendingCount(undecided);
  const moved = useMoved(open?.note ?? null);
  const list = useRef<HTMLDivElement>(null);
  const place = usePlace(items, open?.note ?? null);
  useEffect(() => {
    if (moved && !open && !goToPlace(place.current)) list.current?.focus();
  }, [moved, open, place]);

  const oldest = items.find(({ decision }) => decision === null);
  const problem = formErrorOf(answer);
  const ofOpen = open ? formErrorOf(answer, { note: open.note }) : undefined;
  return (
    <ReviewPage
      updatedAt={loaded.updatedAt}
      className={`queue-page ${open ? 'has-open' : ''}`}
      title="Review queue"
      intro={
        oldest ? (
          <>
            {count(undecided)} waiting, the oldest for{' '}
            <Waiting since={oldest.confirmedAt ?? oldest.createdAt} />
          </>
        ) : (
          'Nothing waits'
        )
      }
      actions={
        <>
          <Link className="button" to="/review/payments">
            Import payments
          </Link>
          <button
            type="button"
            className="button needs-scripts"
            onClick={() => help.current?.showModal()}
          >
            Keys <kbd>?</kbd>
          </button>
        </>
      }
      live={<ConnectionStatus connection={connection} madeAt={loaded.updatedAt} />}
    >
      <Told mine={mine} problem={ofOpen ? undefined : problem} />
      <div className="queue-columns" aria-busy={!idle}>
        <div className="queue-list card" ref={list} tabIndex={-1}>
          {items.length === 0 ? (
            <EmptyQueue />
          ) : (
            <>
              <QueueTable items={items} open={open?.note ?? null} me={me} />
              {total > items.length && (
                <p className="secondary queue-more">
                  The oldest {count(items.length)} of {count(total)}.{' '}
                  <Link to="/review/registrations?status=pending_review">All that wait</Link>
                </p>
              )}
            </>
          )}
        </div>
        {open ? (
          <OpenedPanel
            key={open.note}
            registration={open}
            action={here}
            me={me}
            problem={ofOpen}
            asOf={connection.state === 'stale' ? connection.asOf : null}
            focus={moved}
          />
        ) : (
          items.length > 0 && (
            <p className="queue-hint secondary">
              Open a registration to see what was paid and what its node does.
            </p>
          )
        )}
      </div>
      <UndoBar mine={mine} action={here} />
      <KeysHelp dialog={help} />
    </ReviewPage>
  );
}

/** `?index`: the form is this page's, not the frame's; `open`: where it is shown again if it is refused. */
const actionQuery = (open: string | undefined) =>
  new URLSearchParams({ index: '', ...(open !== undefined && { open }) }).toString();

/** True once what is open is no longer what the page began with: then the focus goes there. */
function useMoved(open: string | null): boolean {
  const [first] = useState(open);
  const [moved, setMoved] = useState(false);
  if (!moved && open !== first) setMoved(true);
  return moved;
}

/** Where in the list one is: at the one that is open, or where it last was. */
function usePlace(items: { note: string }[], open: string | null): MutableRefObject<number> {
  const place = useRef(0);
  useEffect(() => {
    const at = items.findIndex(({ note }) => note === open);
    if (at >= 0) place.current = at;
  }, [items, open]);
  return place;
}

function EmptyQueue() {
  return (
    <div className="queue-empty">
      <h2>Nothing waits for review</h2>
      <p>
        A registration comes here as soon as its operator says that the fee is paid. This page shows
        it by itself.
      </p>
      <Link className="button" to="/review/registrations">
        All registrations
      </Link>
    </div>
  );
}
