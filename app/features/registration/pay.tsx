import { Link, useNavigate, useSearchParams } from '@remix-run/react';
import { useEffect, useRef, type ReactNode } from 'react';
import { dollars } from '#app/lib/formatters.ts';
import { useNetwork } from '#app/lib/network.tsx';
import button from '#app/ui/button.module.css';
import { CopyButton } from '#app/ui/copy-button.tsx';
import { DoneIcon, OpenIcon } from '#app/ui/icons.tsx';
import { Notice } from '#app/ui/notice.tsx';
import { QrImage } from '#app/ui/qr-image.tsx';
import text from '#app/ui/text.module.css';
import { ConfirmForm, type RegistrationState } from './confirm-form.tsx';
import { CopyRows } from './copy-rows.tsx';
import { Fold } from './fold.tsx';
import folds from './folds.module.css';
import { SaveLink } from './page-link.tsx';
import styles from './pay.module.css';
import { SoonOver } from './reserved.tsx';
import { shortly } from './shortly.ts';

const JOBS = ['save', 'pay', 'paid'] as const;
type JobName = (typeof JOBS)[number];

/** The jobs of the page one at a time: save its link, pay, report the payment. The open one is in the URL. */
export function Pay({ progress, href, remembered, earlier, error, draft, qr }: RegistrationState) {
  const { registration, cashtag, usualMs } = progress;
  const { feeUsd } = registration;
  const { kept, opened, place, remember } = remembered;
  const { open, hrefOf } = useOpenJob(error !== null);
  const fee = dollars(feeUsd);
  const whoSaved = [kept, place === 'stored' ? 'saved in this browser' : null].filter(Boolean);
  // Whoever comes by the link has it.
  const saved = kept !== undefined || place === 'stored' || place === 'unknown';
  const job = (name: JobName) => ({ name, open: open === name, to: hrefOf(name) });
  useReturn(opened && open === 'pay', hrefOf('paid'));
  return (
    <>
      {earlier && (
        <Notice className={styles.earlier}>
          <p>
            Already paid for your registration with the note <code>{earlier}</code>? Don’t pay
            again: enter that note as the confirmation text and report the payment.
          </p>
          <CopyButton text={earlier} label="Copy that note" />
        </Notice>
      )}
      <ol className={styles.jobs}>
        <Job
          {...job('save')}
          number={1}
          done={saved && open !== 'save'}
          title={
            <>
              <span className="needs-scripts">
                {saved && open !== 'save' ? 'Link saved' : 'Save this page’s link'}
              </span>
              <span className="without-scripts">Save this page’s link</span>
            </>
          }
          sub={whoSaved.length > 0 ? whoSaved.join(', and ') : 'It brings you back here'}
          action="Show"
        >
          <p>
            <span className="needs-scripts">
              It brings you back here from any device, and we can’t look it up for you.
            </span>
            <span className="without-scripts">
              Bookmark this page, or select the link and copy it.
            </span>{' '}
            Anyone who has it can act for you: keep it private.
          </p>
          <SaveLink href={href} remembered={remembered} next={hrefOf('pay')} />
        </Job>
        <Job
          {...job('pay')}
          number={2}
          done={opened && open !== 'pay'}
          title={
            open === 'paid'
              ? opened
                ? 'Payment opened in Cash App'
                : `Pay ${fee}`
              : `Pay ${fee} with Cash App`
          }
          sub={open === 'paid' ? `${fee} to ${cashtag}` : `To ${cashtag}, with the exact note`}
          action={open === 'paid' ? 'Show' : null}
        >
          <PayInstructions progress={progress} qr={qr} onOpen={() => remember({ opened: true })}>
            <Link
              className={`${button.primary} ${styles.desktop}`}
              to={hrefOf('paid')}
              preventScrollReset
            >
              Continue
            </Link>
            <Link
              className={`${button.button} ${styles.phone}`}
              to={hrefOf('paid')}
              preventScrollReset
            >
              I paid another way
            </Link>
          </PayInstructions>
        </Job>
        <Job
          {...job('paid')}
          number={3}
          done={false}
          title="Report your payment"
          sub="Then a reviewer looks for it"
          action="I have already paid"
        >
          <ConfirmForm error={error} draft={draft} submitLabel="I have paid" purpose="payment">
            At the end of the receipt in Cash App. It helps if the note went missing. Only reviewers
            can see it.
          </ConfirmForm>
          <p className={`${text.secondary} ${styles.hint}`}>
            <span className="needs-scripts">
              A reviewer then looks for the payment
              {usualMs !== null && `, usually within ${shortly(usualMs)}`}. You can close this page.
            </span>
            <span className="without-scripts">Then reload this page to see the decision.</span>
          </p>
        </Job>
      </ol>
      <Trouble />
    </>
  );
}

/** @param failed whether the form of the last job was refused: then that is open */
function useOpenJob(failed: boolean): { open: JobName; hrefOf: (job: JobName) => string } {
  const [search] = useSearchParams();
  const asked = JOBS.find((job) => job === search.get('job'));
  return {
    open: failed ? 'paid' : (asked ?? 'pay'),
    hrefOf: (job) => {
      const to = new URLSearchParams(search);
      to.set('job', job);
      return `?${to.toString()}`;
    },
  };
}

/** Whoever comes back from Cash App finds the last job open; the focus stays where it was. */
function useReturn(away: boolean, to: string): void {
  const navigate = useNavigate();
  const left = useRef(false);
  useEffect(() => {
    const seen = () => {
      if (document.visibilityState === 'hidden') left.current = away;
      else if (left.current) {
        left.current = false;
        navigate(to, { preventScrollReset: true, state: QUIET });
      }
    };
    document.addEventListener('visibilitychange', seen);
    return () => document.removeEventListener('visibilitychange', seen);
  }, [away, to, navigate]);
}

/** The state of a navigation after which the focus stays. */
export const QUIET = { quiet: true };

interface JobProps {
  name: JobName;
  number: number;
  title: ReactNode;
  sub: string;
  open: boolean;
  done: boolean;
  to: string;
  /** What its link says while it is closed; null: it has none. */
  action: string | null;
  children: ReactNode;
}

/** One of the jobs. All are in the page, so that nothing typed is lost, and all are open without scripts. */
function Job({ name, number, title, sub, open, done, to, action, children }: JobProps) {
  return (
    <li
      className={open ? styles.now : done ? styles.done : undefined}
      data-open={open || undefined}
    >
      <div className={styles.head}>
        <span className={styles.number} aria-hidden>
          {done ? <DoneIcon /> : number}
        </span>
        <div>
          <h2 id={`job-${name}`}>
            {title}
            {done && <span className="visually-hidden">, done</span>}
          </h2>
          {!open && <p className={`${text.secondary} needs-scripts`}>{sub}</p>}
        </div>
        {!open && action && (
          <Link className={`${styles.action} needs-scripts`} to={to} preventScrollReset>
            {action}
            {action === 'Show' && (
              <span className="visually-hidden">
                {' '}
                {name === 'save' ? 'the link' : 'the payment'}
              </span>
            )}
          </Link>
        )}
      </div>
      <div className={`${styles.body} ${open ? '' : styles.closed}`}>{children}</div>
    </li>
  );
}

interface PayInstructionsProps extends Pick<RegistrationState, 'progress' | 'qr'> {
  onOpen?: () => void;
  /** Ways on, beside the way to Cash App. */
  children?: ReactNode;
}

/** What to pay, to whom and with which note, each to copy; a code for a phone, and on a phone its app. */
export function PayInstructions({ progress, qr, onOpen, children }: PayInstructionsProps) {
  const { registration, cashtag } = progress;
  const { paymentNote, payUrl, feeUsd } = registration;
  const app = { href: payUrl, target: '_blank', rel: 'noreferrer noopener', onClick: onOpen };
  return (
    <>
      <div className={styles.pay}>
        <div>
          <CopyRows
            rows={[
              { label: 'To', name: 'Recipient', value: cashtag },
              { label: 'Amount', name: 'Amount', value: dollars(feeUsd) },
              { label: 'Note, exactly', name: 'Note', value: paymentNote, mono: true },
            ]}
          />
          <p className={`${text.secondary} ${styles.hint}`}>
            Reviewers find your payment by the note. It doesn’t matter who pays.
          </p>
        </div>
        {qr && (
          <figure className={`${styles.qr} ${styles.desktop}`}>
            <QrImage
              qr={qr}
              label={`QR code of the payment link: ${dollars(feeUsd)} to ${cashtag} with the note`}
            />
            <figcaption className={text.secondary}>
              Scan it with your phone: Cash App opens with all three filled in.
            </figcaption>
          </figure>
        )}
      </div>
      <div className={styles.actions}>
        <a className={`${children ? button.primary : button.button} ${styles.phone}`} {...app}>
          <OpenIcon />
          Open Cash App
        </a>
        {children}
        <a className={`${button.button} ${styles.desktop}`} {...app}>
          <OpenIcon />
          Open cash.app here
        </a>
        <p className={`${text.secondary} ${styles.phone}`}>
          Cash App opens with all three filled in. Come back here afterwards.
        </p>
      </div>
    </>
  );
}

/** What to do when a payment doesn't go as it should. */
function Trouble() {
  const { refundPolicy } = useNetwork();
  return (
    <section className={styles.trouble} aria-labelledby="trouble">
      <h2 id="trouble">Something went wrong?</h2>
      <ul className={folds.folds}>
        <li>
          <Fold title="The note is missing or different">
            Report your payment with Cash App’s confirmation text: a reviewer finds it. Don’t pay
            again.
          </Fold>
        </li>
        <li>
          <Fold title="I paid another amount">
            Too little: a reviewer asks for the rest. Too much: {refundPolicy}
          </Fold>
        </li>
        <li>
          <Fold title="I paid twice">One payment counts. {refundPolicy}</Fold>
        </li>
        <li>
          <Fold title="Time runs out before I can pay">
            Report your payment even if it is late: it counts while nobody else holds the name.
          </Fold>
        </li>
      </ul>
    </section>
  );
}

/** Above the jobs: a warning once the time is nearly over. */
export function PayBanner({ progress, error }: RegistrationState) {
  const { hrefOf } = useOpenJob(error !== null);
  return <SoonOver reservation={progress.registration} paid={hrefOf('paid')} />;
}
