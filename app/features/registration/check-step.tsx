import { Form, Link, useNavigation } from '@remix-run/react';
import { span } from '#app/lib/formatters.ts';
import type { TermId } from '#app/lib/glossary.ts';
import button from '#app/ui/button.module.css';
import card from '#app/ui/card.module.css';
import { Term } from '#app/ui/term.tsx';
import { Notice } from '#app/ui/notice.tsx';
import text from '#app/ui/text.module.css';
import styles from './check-step.module.css';
import { HiddenAnswers } from './fields.tsx';
import { NodeNotices } from './node-field.tsx';
import type { LoadedWizard } from './wizard-page.server.ts';
import wizard from './wizard.module.css';
import { regionOf, wizardHref, type Step } from './wizard.ts';

export interface CheckStepProps {
  loaded: LoadedWizard;
  /** Why the last attempt failed. */
  error: string | undefined;
}

interface Fact {
  /** Where it is changed. */
  step: Step;
  term: string;
  value: string;
  note?: string | false;
  /** The word's entry in the glossary. */
  explained?: TermId;
}

/** All details once more, and the button that registers the name. */
export function CheckStep({ loaded, error }: CheckStepProps) {
  const { answers, label, typed: node, fee, holdMs, changed } = loaded;
  const sending = useNavigation().formMethod === 'POST';
  const facts: Fact[] = [
    { step: 'name', term: 'Name', value: answers.name },
    { step: 'what', term: 'Kinds', value: answers.kinds.join(' and ') },
    { step: 'what', term: 'Class', value: answers.class, explained: 'class' },
    { step: 'what', term: 'Node', value: answers.node },
    {
      step: 'what',
      term: 'Region',
      explained: 'region',
      value: regionOf(answers),
      note: answers.region === '' && 'unknown',
    },
    { step: 'what', term: 'Label', value: label },
  ];
  return (
    <Form method="post" action={wizardHref(answers)} className={wizard.form}>
      <HiddenAnswers answers={answers} without={['step']} />
      <dl className={`${card.card} ${styles.facts}`}>
        {facts.map(({ step, term, value, note, explained }) => (
          <div key={term}>
            <dt>{explained ? <Term id={explained} /> : term}</dt>
            <dd>
              {term === 'Node' ? <code>{value}</code> : value}
              {note && <span className={text.secondary}> ({note})</span>}
            </dd>
            <dd>
              <Link to={wizardHref({ ...answers, key: '', step })}>
                Change<span className="visually-hidden"> {term.toLowerCase()}</span>
              </Link>
            </dd>
            {term === 'Node' &&
              node &&
              (node.blocked || node.similar.count > 0 || node.names.length > 0) && (
                <dd className={styles.about}>
                  <NodeNotices node={node} />
                </dd>
              )}
          </div>
        ))}
        <div>
          <dt>Fee</dt>
          <dd>{fee}, once</dd>
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
        <button className={button.primary}>
          {sending ? 'Registering…' : `Register ${answers.name}`}
        </button>
        <Link className={button.button} to={wizardHref({ ...answers, key: '', step: 'what' })}>
          Back
        </Link>
        <p className={text.secondary}>
          We then reserve the name for {span(holdMs)} while you pay. Everything above becomes public
          once the name is active.
        </p>
      </div>
    </Form>
  );
}
