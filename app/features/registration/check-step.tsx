import { Form, useNavigation } from '@remix-run/react';
import type { ReactNode } from 'react';
import { CLASS_WORDS } from '#app/lib/formatters.ts';
import type { TermId } from '#app/lib/glossary.ts';
import { useNetwork } from '#app/lib/network.tsx';
import button from '#app/ui/button.module.css';
import { Link } from '#app/ui/link.tsx';
import { Notice } from '#app/ui/notice.tsx';
import { StateGlyph } from '#app/ui/state-glyph.tsx';
import { Term } from '#app/ui/term.tsx';
import text from '#app/ui/text.module.css';
import styles from './check-step.module.css';
import { HiddenAnswers } from './fields.tsx';
import { NodeNotices } from './node-notices.tsx';
import type { KnownNode, LoadedWizard } from './wizard-page.server.ts';
import wizard from './wizard.module.css';
import { useSavedRegistrations } from './saved-registrations.ts';
import { EARLIER_ID, hours, kindsText, regionChoice, wizardHref, type Step } from './wizard.ts';

export interface CheckStepProps {
  loaded: LoadedWizard;
  /** Why the last attempt failed. */
  error: string | undefined;
  /** The URL of the step before. */
  back: string;
}

interface Fact {
  /** Where it is changed. */
  step: Step;
  term: string;
  value: ReactNode;
  /** The word's entry in the glossary. */
  explained?: TermId;
  /** Below it. */
  notices?: ReactNode;
}

/** All details once more, and the button that registers the name. */
export function CheckStep({ loaded, error, back }: CheckStepProps) {
  const { answers, details, node, fee, holdMs, changed } = loaded;
  const { refundPolicy } = useNetwork();
  const sending = useNavigation().formMethod === 'POST';
  const earlier = useSavedRegistrations().find(({ note }) => note === answers.earlier);
  const facts: Fact[] = [
    { step: 'name', term: 'Name', value: <strong>{answers.name}</strong> },
    { step: 'name', term: 'For', value: kindsText(answers.kinds) },
    {
      step: 'node',
      term: 'Node',
      value: <NodeName id={answers.node} node={node} />,
      notices: node && <Notices node={node} loaded={loaded} />,
    },
    { step: 'details', term: 'Label', value: details.label },
    {
      step: 'details',
      term: 'Class',
      value: CLASS_WORDS[details.class as keyof typeof CLASS_WORDS],
      explained: 'class',
    },
    {
      step: 'details',
      term: 'Region',
      value: <span suppressHydrationWarning>{regionChoice(details.region)}</span>,
      explained: 'region',
    },
  ];
  return (
    <Form method="post" action={wizardHref(answers)} className={wizard.form}>
      <HiddenAnswers answers={answers} without={['step']} />
      {earlier && <input type="hidden" name={EARLIER_ID} value={earlier.id} />}
      <dl className={styles.facts}>
        {facts.map(({ step, term, value, explained, notices }) => (
          <div key={term}>
            <dt>{explained ? <Term id={explained} /> : term}</dt>
            <dd className={styles.value}>{value}</dd>
            <dd className={styles.change}>
              <Link to={wizardHref({ ...answers, key: '', step })}>
                Change<span className="visually-hidden"> {term.toLowerCase()}</span>
              </Link>
            </dd>
            {notices && <dd className={styles.notices}>{notices}</dd>}
          </div>
        ))}
        <div>
          <dt>Fee</dt>
          <dd className={styles.value}>
            <strong>{fee}</strong>, once
            <span className={text.remark}>{refundPolicy}</span>
          </dd>
        </div>
      </dl>
      {changed && !error && (
        <Notice kind="error">
          These details aren’t registered yet, because you sent this form before with different
          ones. If they’re right, send the form again.
        </Notice>
      )}
      {error && <Notice kind="error">{error} Your details are kept.</Notice>}
      <div className={wizard.actions}>
        <button className={`${button.primary} ${styles.send}`} aria-disabled={sending}>
          {/* Both lie over each other, so that the button keeps its width. */}
          <span aria-hidden={sending}>Register {answers.name}</span>
          <span aria-hidden={!sending}>Registering…</span>
        </button>
        <Link className={button.button} to={back}>
          Back
        </Link>
        <p className={text.secondary}>
          We then reserve the name for {hours(holdMs)} while you pay. Nothing is charged by this
          button.
        </p>
      </div>
    </Form>
  );
}

/** A node by its label and its id, with its state. */
function NodeName({ id, node }: { id: string; node: KnownNode | null }) {
  const reported = node?.reported;
  return (
    <>
      <span className={styles.node}>
        <StateGlyph state={node?.blocked ? 'blocked' : (reported?.status ?? 'unknown')} />
        {reported?.label || <code>{id}</code>}
      </span>
      {reported?.label && (
        <span className={text.remark}>
          <code>{id}</code>
        </span>
      )}
    </>
  );
}

/** What the operator should know of the node and its offers before registering. */
function Notices({ node, loaded }: { node: KnownNode; loaded: LoadedWizard }) {
  const { name, kinds } = loaded.answers;
  const announced = node.offers.some((offer) => offer.name === name);
  return (
    <>
      {kinds.includes('compute') && !announced && !node.blocked && (
        <Notice>
          <strong>“{name}” isn’t announced yet.</strong>
          <br />
          It is listed automatically once your node announces it.
        </Notice>
      )}
      <NodeNotices node={node} />
    </>
  );
}
