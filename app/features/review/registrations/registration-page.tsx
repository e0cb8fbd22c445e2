import { Link, useLoaderData } from '@remix-run/react';
import { useRef } from 'react';
import type { StatusChange } from '#server/review/index.ts';
import { PROVED_REASON } from '@mesh-registry/protocol/values.schema.ts';
import { ConnectionStatus } from '#app/features/live/connection-status.tsx';
import { formErrorOf } from '#app/lib/form-error.ts';
import * as hrefs from '#app/lib/hrefs.ts';
import { usePageRefresh } from '#app/lib/page-refresh.ts';
import { useFormResult } from '#app/lib/use-form-result.ts';
import button from '#app/ui/button.module.css';
import { Moment } from '#app/ui/moment.tsx';
import { Panel } from '#app/ui/panel.tsx';
import text from '#app/ui/text.module.css';
import { changeLabel, statusLabel } from '../labels.ts';
import { DecisionForm, isOfDecision, useDecisionForms } from '../queue/decision-form.tsx';
import { usePresses } from '../queue/press-once.ts';
import { ShortcutsDialog } from '../queue/shortcuts-dialog.tsx';
import {
  DecisionFeedback,
  FloatingBars,
  lostFormMessage,
  UndoBar,
} from '../queue/recent-decisions.tsx';
import { useShortcuts } from '../queue/use-shortcuts.ts';
import { ReviewPage } from '../review-page.tsx';
import { RegistrationStatus } from '../row-parts.tsx';
import { WarningList } from '../warning-list.tsx';
import { NodeSummary } from './node-summary.tsx';
import { RegistrationDates, RegistrationFacts } from './registration-facts.tsx';
import styles from './registration-page.module.css';
import type { loadRegistration } from './registrations.server.ts';
import { RelatedRegistrations } from './related-registrations.tsx';

/** One registration is small: it is loaded this often, so that a decision of another reviewer shows soon (ms). */
const REFRESH_MS = 3000;

/** One registration of any status, with its history. */
export function RegistrationPage() {
  const loaded = useLoaderData<typeof loadRegistration>();
  const { registration, history, mine, updatedAt } = loaded;
  const { note, name, status, decidedBy } = registration;
  const problem = formErrorOf(useFormResult(status, lostFormMessage(note)));
  const ofDecision = isOfDecision(problem, registration);
  const connection = usePageRefresh(loaded, REFRESH_MS);
  const dialog = useRef<HTMLDialogElement>(null);
  const forms = useDecisionForms();
  const presses = usePresses();
  const action = hrefs.review.registration(note);
  useShortcuts({
    open: registration,
    mine,
    action,
    forms,
    presses,
    showHelp: () => dialog.current?.showModal(),
  });
  return (
    <ReviewPage
      undoes
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
        problem={ofDecision ? undefined : problem}
      />
      <div className={styles.panels}>
        <Panel title="Registration">
          <WarningList registration={registration} />
          <RegistrationFacts registration={registration} />
          <RegistrationDates registration={registration} />
        </Panel>
        <Panel title="History">
          <div className={styles.stack}>
            <RegistrationHistory entries={history} />
            <DecisionForm
              {...{ registration, action, forms }}
              problem={ofDecision ? problem : undefined}
            />
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

/** Every change of a registration's status, oldest first. */
function RegistrationHistory({ entries }: { entries: StatusChange[] }) {
  return (
    <ol className={styles.history}>
      {entries.map((entry) => (
        <li key={`${entry.at} ${entry.to}`}>
          <strong>{changeLabel(entry)}</strong>
          <span className={text.secondary}>
            {statusLabel({ status: entry.to, decidedBy: entry.actor }).word} since{' '}
            <Moment at={entry.at} />
          </span>
          {entry.reason && (entry.from !== entry.to || entry.reason !== PROVED_REASON) && (
            <span>“{entry.reason}”</span>
          )}
        </li>
      ))}
    </ol>
  );
}
