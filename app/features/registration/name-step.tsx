import { Form } from '@remix-run/react';
import { useEffect, useState } from 'react';
import * as hrefs from '#app/lib/hrefs.ts';
import button from '#app/ui/button.module.css';
import chips from '#app/ui/chips.module.css';
import text from '#app/ui/text.module.css';
import { Link } from '#app/ui/link.tsx';
import { Tick } from '#app/ui/status-icon.tsx';
import { Field, HiddenAnswers } from './fields.tsx';
import styles from './name-step.module.css';
import type { SavedAnswers } from './use-saved-answers.ts';
import { useSavedRegistrations } from './saved-registrations.ts';
import type { LoadedWizard } from './wizard-page.server.ts';
import wizard from './wizard.module.css';
import { wizardHref } from './wizard.ts';

export interface NameStepProps {
  loaded: LoadedWizard;
  /** Whether somebody continued without a name. */
  missing: boolean;
  saved: SavedAnswers;
}

/** The name, and whether it is available. */
export function NameStep({ loaded: { answers, check }, missing, saved }: NameStepProps) {
  const { form, follow, leave } = saved;
  const [typed, setTyped] = useState(answers.name);
  // Takes over what was typed before hydration.
  useEffect(() => {
    const control = form.current?.elements.namedItem('name');
    if (control instanceof HTMLInputElement) setTyped(control.value);
  }, [form]);
  // Shows a result only for the name that is typed now.
  const current = check !== null && typed.trim() === answers.name ? check : null;
  const problem =
    current?.problem && current.problem !== 'unknown'
      ? current.message
      : missing && typed.trim() === ''
        ? 'Enter the name you want.'
        : undefined;
  return (
    <Form ref={form} action={hrefs.register()} className={wizard.form} onSubmit={leave}>
      <HiddenAnswers answers={answers} without={['step', 'name', 'key']} />
      <input type="hidden" name="step" value="what" />
      <Field
        label="Name"
        name="name"
        className={wizard.large}
        defaultValue={answers.name}
        maxLength={64}
        autoCapitalize="none"
        spellCheck={false}
        describedBy="name-free"
        error={problem}
        autoFocus={problem !== undefined}
        onChange={({ target }) => {
          setTyped(target.value);
          follow();
        }}
        hint="2–32 characters: a–z, 0–9, - and _. Must start and end with a letter or number. Uppercase is converted."
      >
        <OwnNameHint name={current?.problem === 'taken' ? current.name : null} />
        <p id="name-free" className={wizard.success} aria-live="polite">
          {current?.problem === null && (
            <>
              <Tick />
              {current.message}
            </>
          )}
          {current?.problem === 'unknown' && current.message}
        </p>
      </Field>
      {current && current.alternatives.length > 0 && (
        <div className={styles.alternatives}>
          <h2 id="alternatives">Available alternatives</h2>
          <ul className={chips.chips} aria-labelledby="alternatives">
            {current.alternatives.map((name) => (
              <li key={name}>
                <Link
                  className={`${chips.chip} ${styles.alternative}`}
                  to={wizardHref({ ...answers, key: '', step: 'what', name })}
                >
                  {name}
                </Link>
              </li>
            ))}
          </ul>
        </div>
      )}
      <div className={wizard.actions}>
        <button className={button.primary}>Continue</button>
        <p className={text.secondary}>Nothing is reserved or charged yet.</p>
      </div>
    </Form>
  );
}

/** For a name that is taken: if it was registered in this browser, a link to that registration. */
function OwnNameHint({ name }: { name: string | null }) {
  const own = useSavedRegistrations().find((saved) => saved.name === name && !saved.ended);
  return (
    <p className={own && wizard.hint} aria-live="polite">
      {own && (
        <>
          You registered {own.name} on this device:{' '}
          <Link to={hrefs.registration(own.id)}>continue with it</Link>.
        </>
      )}
    </p>
  );
}
