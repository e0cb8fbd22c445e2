import { useNavigate } from '@remix-run/react';
import { lazy, Suspense, useEffect, useSyncExternalStore } from 'react';
import { explainError } from '#app/lib/errors.ts';
import * as hrefs from '#app/lib/hrefs.ts';
import { useFailedRequestId } from '#app/lib/request-id.tsx';
import { SERVICE_BACK, serviceAway } from '#app/lib/service-away.ts';
import button from './button.module.css';
import { CopyButton } from './copy-button.tsx';
import { Countdown } from './countdown.tsx';
import { ErrorActions } from './error-actions.tsx';
import styles from './error-page.module.css';
import { Operator } from './operator.tsx';
import { Page } from './page.tsx';
import text from './text.module.css';

/** Most pages never need it. */
const MissingPage = lazy(() =>
  import('./missing-page.tsx').then(({ MissingPage }) => ({ default: MissingPage })),
);

/** What went wrong, what to do about it, and the ways out. */
export function ErrorPage({ error }: { error: unknown }) {
  const { kind, heading, text: explanation, again } = explainError(error);
  if (kind === 'missing')
    return (
      <Suspense>
        <MissingPage instead={null} />
      </Suspense>
    );
  return (
    <Page title={heading} intro={explanation} className={styles.page}>
      <ErrorActions again={again} ways={kind === 'unreachable' ? [] : [WAYS_BY_KIND[kind]]}>
        {kind === 'unreachable' && <Back />}
      </ErrorActions>
      {kind === 'unreachable' && <ComeBack />}
      {kind === 'failed' && <RequestId />}
    </Page>
  );
}

const WAYS_BY_KIND = {
  refused: { to: hrefs.map(), text: 'View the map' },
  failed: { to: hrefs.status(), text: 'View status' },
};

/** To the page before, which is kept in this tab. One that is opened here first has none. */
function Back() {
  const navigate = useNavigate();
  return (
    <li>
      <button type="button" className={button.button} onClick={() => navigate(-1)}>
        Back
      </button>
    </li>
  );
}

/** Loads the page again as soon as the service answers, and says when it asks. */
function ComeBack() {
  const away = useSyncExternalStore(serviceAway.subscribe, serviceAway.snapshot, () => null);
  useEffect(() => {
    serviceAway.unanswered();
    const load = () => window.location.reload();
    window.addEventListener(SERVICE_BACK, load);
    return () => window.removeEventListener(SERVICE_BACK, load);
  }, []);
  if (!away || away.offline) return null;
  return (
    <p className={`${text.secondary} ${styles.next}`} aria-hidden>
      <Countdown to={away.nextAt} />
    </p>
  );
}

/** By which the operator finds what has been logged. */
function RequestId() {
  const id = useFailedRequestId();
  if (id === null) return null;
  return (
    <div className={styles.request}>
      <div>
        <p>
          Request ID <code>{id}</code>
        </p>
        <CopyButton text={id} />
      </div>
      <p className={text.secondary}>
        If it happens again, send this ID to <Operator />.
      </p>
    </div>
  );
}
