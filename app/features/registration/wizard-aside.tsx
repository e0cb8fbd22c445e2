import { Fragment, type ReactNode } from 'react';
import { CLASS_WORDS, regionInWords, roughly } from '#app/lib/formatters.ts';
import { FactList } from '#app/ui/fact-list.tsx';
import { KindIcon } from '#app/ui/kind-icon.tsx';
import { KIND_LABEL } from '#app/ui/kind-shapes.ts';
import { Link } from '#app/ui/link.tsx';
import { Section } from '#app/ui/section.tsx';
import { StateGlyph } from '#app/ui/state-glyph.tsx';
import text from '#app/ui/text.module.css';
import * as hrefs from '#app/lib/hrefs.ts';
import { SavedRegistrations } from './saved-registrations-list.tsx';
import styles from './wizard-aside.module.css';
import type { LoadedWizard } from './wizard-page.server.ts';
import { detailsOf, hours, regionChoice, type WizardAnswers } from './wizard.ts';

interface WizardAsideProps {
  loaded: LoadedWizard;
  /** The answers as they are entered now. */
  answers: WizardAnswers;
}

/** Beside each step: what has been answered, and what comes next. */
export function WizardAside({ loaded, answers }: WizardAsideProps) {
  const { step } = loaded.answers;
  return (
    <aside className={styles.aside} aria-label="About this registration">
      {step === 'check' ? <Listing loaded={loaded} /> : <Answers {...{ loaded, answers }} />}
      {step === 'node' && answers.node === '' ? <WhereIsTheId /> : <Next loaded={loaded} />}
      {step === 'name' && <SavedRegistrations />}
    </aside>
  );
}

const UNSAID = <span className={styles.unsaid}>not chosen yet</span>;

function Answers({ loaded, answers }: WizardAsideProps) {
  const { check, errors, fee } = loaded;
  const { step } = loaded.answers;
  const node = loaded.node?.id === answers.node ? loaded.node : null;
  const isFree = check !== null && check.problem === null && answers.name === loaded.answers.name;
  const reported = node?.reported;
  const details = detailsOf(answers, reported);
  const later = step === 'details' || (step === 'node' && reported);
  return (
    <Section title="Your registration" className={styles.wide}>
      <FactList
        facts={[
          { term: 'Name', value: step === 'name' && !isFree ? UNSAID : answers.name },
          {
            term: 'For',
            value:
              answers.kinds.length === 0
                ? UNSAID
                : answers.kinds.map((kind, index) => (
                    <Fragment key={kind}>
                      {index > 0 && ' and '}
                      <span className={styles.kind}>
                        <KindIcon kind={kind} /> {KIND_LABEL[kind]}
                      </span>
                    </Fragment>
                  )),
          },
          { term: 'Node', value: answers.node === '' ? UNSAID : reported?.label || answers.node },
          later
            ? {
                term: 'Class',
                value: CLASS_WORDS[details.class as keyof typeof CLASS_WORDS] ?? UNSAID,
              }
            : null,
          later
            ? {
                term: 'Region',
                value: <span suppressHydrationWarning>{regionChoice(details.region)}</span>,
              }
            : null,
          step === 'details'
            ? {
                term: 'Label',
                value: errors.label ? (
                  <span className={styles.wrong}>needs a change</span>
                ) : (
                  details.label
                ),
              }
            : null,
          { term: 'Fee', value: `${fee}, once` },
        ]}
      />
    </Section>
  );
}

/** The name as the registry will list it. */
function Listing({ loaded: { answers, details, node } }: { loaded: LoadedWizard }) {
  const status = node?.reported?.status ?? null;
  return (
    <Section title="How it will be listed" className={styles.wide}>
      <div className={styles.listing}>
        <strong>
          {answers.name}
          {answers.kinds.map((kind) => (
            <KindIcon key={kind} kind={kind} />
          ))}
        </strong>
        <p className={text.secondary} suppressHydrationWarning>
          {details.label} · {details.class} · {regionInWords(details.region)}
        </p>
        {answers.kinds.includes('node') && (
          <span className={styles.badge}>
            <span>{answers.name}</span>
            <span>
              <StateGlyph state={status ?? 'unknown'} size={10} />
              {status ?? 'no heartbeat yet'}
            </span>
          </span>
        )}
      </div>
    </Section>
  );
}

function Next({ loaded }: { loaded: LoadedWizard }) {
  const { answers, fee, holdMs, usualMs } = loaded;
  const { step, name } = answers;
  const review: [string, string] = [
    'A reviewer looks for the payment',
    `and accepts the name.${usualMs === null ? '' : ` Usually ${roughly(usualMs)}.`}`,
  ];
  const steps: [string, string][] =
    step === 'check'
      ? [
          [`We reserve ${name}`, `for ${hours(holdMs)} and give you a link.`],
          [`You pay ${fee} with Cash App`, 'and report the payment.'],
          review,
        ]
      : [
          ...(step === 'details'
            ? []
            : [['Choose your node and check your details', ''] as [string, string]]),
          [`Pay ${fee} with Cash App, within ${hours(holdMs)}`, ''],
          review,
        ];
  return (
    <Section title="What happens next" className={step === 'check' ? '' : styles.wide}>
      <ol className={styles.next}>
        {steps.map(([what, more]) => (
          <li key={what}>
            <span>
              {what} <span>{more}</span>
            </span>
          </li>
        ))}
      </ol>
    </Section>
  );
}

function WhereIsTheId(): ReactNode {
  return (
    <Section title="Where is my node’s ID?">
      <p className={text.secondary}>
        In mesh-agent’s configuration it is the <code>id</code> below <code>[node]</code>. On the
        machine, <code>mesh-agent status</code> prints it. A node of your own sends it as{' '}
        <code>nodeId</code> with each heartbeat. IDs are case-sensitive.
      </p>
      <p className={text.secondary}>
        None yet? Choose one: 2–64 characters of <code>a-z A-Z 0-9 _ -</code>.{' '}
        <Link to={hrefs.docs.operators()} target="_blank">
          How nodes report (opens in a new tab)
        </Link>
      </p>
    </Section>
  );
}
