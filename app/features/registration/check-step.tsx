import { Form, Link, useNavigation } from '@remix-run/react';
import { span } from '#app/lib/duration.ts';
import { regionOf, wizardHref, type Step, type Wizard } from './wizard.ts';
import { BlockedChoice } from './blocked-node.tsx';
import { HiddenFields } from './hidden-fields.tsx';

export interface CheckStepProps {
  wizard: Wizard;
  /** As it will be shown. */
  label: string;
  /** The node is one that reviewers have blocked. */
  blocked: boolean;
  fee: string;
  holdMs: number;
  /** The form was sent before, with other answers. */
  changed: boolean;
  /** Why the last attempt did not succeed; the answers are still there. */
  error: string | undefined;
}

export function CheckStep({ wizard, label, blocked, fee, holdMs, changed, error }: CheckStepProps) {
  const sending = useNavigation().formMethod === 'POST';
  const facts: { step: Step; word: string; value: string; note?: string }[] = [
    { step: 'name', word: 'Name', value: wizard.name },
    { step: 'what', word: 'Kinds', value: wizard.kinds.join(' and ') },
    { step: 'what', word: 'Class', value: wizard.class },
    { step: 'what', word: 'Node', value: wizard.node },
    {
      step: 'what',
      word: 'Region',
      value: regionOf(wizard),
      ...(wizard.region === '' && { note: 'not given' }),
    },
    {
      step: 'what',
      word: 'Label',
      value: label,
      ...(wizard.label !== '' && wizard.label !== label && { note: 'as it can be published' }),
    },
  ];
  return (
    <Form method="post" action={wizardHref(wizard)} className="wizard-form">
      <HiddenFields wizard={wizard} without={['step']} />
      <dl className="check-facts card">
        {facts.map(({ step, word, value, note }) => (
          <div key={word}>
            <dt>{word}</dt>
            <dd>
              {word === 'Node' ? <code>{value}</code> : value}
              {note && <span className="secondary"> ({note})</span>}
            </dd>
            <dd className="change">
              <Link to={wizardHref({ ...wizard, key: '', step })}>
                Change<span className="visually-hidden"> {word.toLowerCase()}</span>
              </Link>
            </dd>
            {word === 'Node' && blocked && (
              <dd className="about">
                <BlockedChoice />
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
        <p className="form-error" role="alert">
          These answers are not registered yet: this form was sent before, with others. If they are
          right, send them once more.
        </p>
      )}
      {error && (
        <p className="form-error" role="alert">
          {error} What you typed is kept.
        </p>
      )}
      <div className="wizard-next">
        <button className="button primary">
          {sending ? 'Registering…' : `Register ${wizard.name}`}
        </button>
        <Link className="button" to={wizardHref({ ...wizard, key: '', step: 'what' })}>
          Back
        </Link>
        <p className="secondary">
          The name is then held for you for {span(holdMs)}, in which you pay. All of the above is
          public once it is active.
        </p>
      </div>
    </Form>
  );
}
