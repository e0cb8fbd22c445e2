import { Link } from '@remix-run/react';
import { useRef } from 'react';
import type { RecentDecision, RegistrationDetails, StatusChange } from '#server/review/index.ts';
import { ConnectionStatus } from '#app/features/live/connection-status.tsx';
import * as hrefs from '#app/lib/hrefs.ts';
import { formErrorOf } from '#app/lib/form-error.ts';
import { useFormResult } from '#app/lib/use-form-result.ts';
import { usePageRefresh } from '#app/lib/page-refresh.ts';
import { Panel } from '#app/ui/panel.tsx';
import button from '#app/ui/button.module.css';
import { DecisionFeedback, lostFormMessage } from '../queue/decision-feedback.tsx';
import { DecisionForm } from '../queue/decision-form.tsx';
import { FloatingBars } from '../queue/floating-bars.tsx';
import { endingOf } from '../queue/possible-decisions.ts';
import type { RejectFormHandle } from '../queue/reason-fields.tsx';
import { ShortcutsDialog } from '../queue/shortcuts-dialog.tsx';
import { UndoBar } from '../queue/undo-bar.tsx';
import { useShortcuts } from '../queue/use-shortcuts.ts';
import { ReviewPage } from '../review-page.tsx';
import { NodeSummary } from './node-summary.tsx';
import { RegistrationDates } from './registration-dates.tsx';
import { RegistrationFacts } from './registration-facts.tsx';
import { RegistrationHistory } from './registration-history.tsx';
import styles from './registration-page.module.css';
import { RegistrationStatus } from './registration-status.tsx';
import { RelatedRegistrations } from './related-registrations.tsx';

export interface LoadedRegistration {
  updatedAt: string;
  registration: RegistrationDetails;
  history: StatusChange[];
  /** The reviewer's own decisions that can still be undone. */
  mine: RecentDecision[];
}

/** One registration is small: it is loaded this often, so that a decision of another reviewer shows soon (ms). */
const REFRESH_MS = 3000;

/** One registration of any status, with its history. */
export function RegistrationPage({ loaded }: { loaded: LoadedRegistration }) {
  const { registration, history, mine, updatedAt } = loaded;
  const { note, name, status, decidedBy } = registration;
  const problem = formErrorOf(useFormResult(status, lostFormMessage(note)));
  const problemOfRejectForm = problem?.values['intent'] === endingOf(status) ? problem : undefined;
  const connection = usePageRefresh(loaded, REFRESH_MS);
  const dialog = useRef<HTMLDialogElement>(null);
  const rejectForm = useRef<RejectFormHandle>(null);
  const action = hrefs.review.registration(note);
  useShortcuts({
    open: registration,
    mine,
    action,
    rejectForm,
    showHelp: () => dialog.current?.showModal(),
  });
  return (
    <ReviewPage
      updatedAt={updatedAt}
      title={name}
      intro={<RegistrationStatus {...{ status, decidedBy }} />}
      actions={
        <>
          {status === 'pending_review' && (
            <Link className={button.button} to={hrefs.review.queue({ open: note })}>
              Open in the queue
            </Link>
          )}
          {status === 'active' && (
            <Link className={button.button} to={hrefs.name(name)}>
              View name
            </Link>
          )}
        </>
      }
      live={<ConnectionStatus connection={connection} renderedAt={updatedAt} />}
    >
      <DecisionFeedback
        mine={mine}
        updatedAt={updatedAt}
        problem={problemOfRejectForm ? undefined : problem}
      />
      <div className={styles.panels}>
        <Panel title="Registration">
          <RegistrationFacts registration={registration} />
          <RegistrationDates registration={registration} />
        </Panel>
        <Panel title="History">
          <div className={styles.stack}>
            <RegistrationHistory entries={history} />
            <DecisionForm {...{ registration, action, rejectForm }} problem={problemOfRejectForm} />
          </div>
        </Panel>
        <Panel title="Node and name">
          <div className={styles.stack}>
            <NodeSummary
              registration={registration}
              asOf={connection.state === 'stale' ? connection.asOf : null}
            />
            <RelatedRegistrations registration={registration} />
          </div>
        </Panel>
      </div>
      <FloatingBars>
        <UndoBar mine={mine} action={action} />
      </FloatingBars>
      <ShortcutsDialog dialog={dialog} />
    </ReviewPage>
  );
}
