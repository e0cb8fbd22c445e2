import { Form, Link } from '@remix-run/react';
import { useState } from 'react';
import type { NameCheck } from './wizard.server.ts';
import { wizardHref, type Wizard } from './wizard.ts';
import { FieldProblem } from './field-problem.tsx';
import { HiddenFields } from './hidden-fields.tsx';
import { OwnName } from './own-name.tsx';
import type { KeptAnswers } from './use-saved-answers.ts';

export interface NameStepProps {
  wizard: Wizard;
  check: NameCheck | null;
  /** Somebody went on without a name. */
  missing: boolean;
  rule: string;
  kept: KeptAnswers;
}

export function NameStep({ wizard, check, missing, rule, kept }: NameStepProps) {
  const { form, follow, leave } = kept;
  const [typed, setTyped] = useState(wizard.name);
  // Of another name than the one that stands there nothing is said.
  const current = check !== null && typed.trim() === wizard.name ? check : null;
  const problem =
    current?.problem && current.problem !== 'unknown'
      ? current.message
      : missing && typed.trim() === ''
        ? 'Type the name that you want.'
        : undefined;
  return (
    <Form ref={form} action="/register" className="wizard-form" onSubmit={leave}>
      <HiddenFields wizard={wizard} without={['step', 'name', 'key']} />
      <input type="hidden" name="step" value="what" />
      <div className="wizard-field">
        <label htmlFor="name">Name</label>
        <input
          id="name"
          className="field large"
          name="name"
          defaultValue={wizard.name}
          maxLength={64}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          aria-describedby="name-rule name-problem name-free"
          aria-invalid={problem !== undefined}
          autoFocus={problem !== undefined}
          onChange={({ target }) => {
            setTyped(target.value);
            follow();
          }}
        />
        <p id="name-rule" className="secondary">
          {rule}. Capital letters become small ones.
        </p>
        <FieldProblem id="name-problem" text={problem} />
        <OwnName name={current?.problem === 'taken' ? current.name : null} />
        <p id="name-free" className="name-free" aria-live="polite">
          {current?.problem === null && (
            <>
              <Tick />
              {current.message}
            </>
          )}
          {current?.problem === 'unknown' && current.message}
        </p>
      </div>
      {current && current.alternatives.length > 0 && (
        <div className="alternatives">
          <h2 id="alternatives">Free, and near it</h2>
          <ul className="chips" aria-labelledby="alternatives">
            {current.alternatives.map((name) => (
              <li key={name}>
                <Link className="chip" to={wizardHref({ ...wizard, key: '', step: 'what', name })}>
                  {name}
                </Link>
              </li>
            ))}
          </ul>
        </div>
      )}
      <div className="wizard-next">
        <button className="button primary">Continue</button>
        <p className="secondary">Next you say what it is. Nothing is held or paid yet.</p>
      </div>
    </Form>
  );
}

function Tick() {
  return (
    <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden>
      <path d="M2.5 8.5l3.5 3.5 7.5-8" fill="none" stroke="currentColor" strokeWidth="2" />
    </svg>
  );
}
