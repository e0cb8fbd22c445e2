import { Form } from '@remix-run/react';
import { useEffect, useState, type FormEvent } from 'react';
import { KINDS } from '@mesh-registry/protocol/values.schema.ts';
import * as hrefs from '#app/lib/hrefs.ts';
import button from '#app/ui/button.module.css';
import chips from '#app/ui/chips.module.css';
import field from '#app/ui/field.module.css';
import { DoneIcon, EndedIcon } from '#app/ui/icons.tsx';
import { KindIcon } from '#app/ui/kind-icon.tsx';
import { Link } from '#app/ui/link.tsx';
import { DayOf } from '#app/ui/moment.tsx';
import text from '#app/ui/text.module.css';
import { Choices, HiddenAnswers } from './fields.tsx';
import styles from './name-step.module.css';
import type { SavedAnswers } from './use-saved-answers.ts';
import { useSavedRegistrations } from './saved-registrations.ts';
import type { LoadedWizard } from './wizard-page.server.ts';
import wizard from './wizard.module.css';
import { isName, wizardHref } from './wizard.ts';

export interface NameStepProps {
  loaded: LoadedWizard;
  /** Whether somebody continued without a name. */
  missing: boolean;
  /** Whether the service doesn’t answer. */
  offline: boolean;
  saved: SavedAnswers;
}

const KIND_CHOICES = {
  node: { title: 'Node', text: 'Your node appears on the map under this name.' },
  compute: {
    title: 'Compute offer',
    text: 'Its available capacity is listed under this name.',
  },
};

const STATES = { taken: 'Taken', reserved: 'Reserved' } as const;

/** The name, whether it is available, and what it is for. */
export function NameStep({ loaded, missing, offline, saved }: NameStepProps) {
  const { answers, check, errors } = loaded;
  const { form, follow, keep, leave } = saved;
  const [typed, setTyped] = useState(answers.name);
  const control = () => {
    const found = form.current?.elements.namedItem('name');
    return found instanceof HTMLInputElement ? found : null;
  };
  // Takes over what was typed before hydration.
  useEffect(() => {
    const found = form.current?.elements.namedItem('name');
    if (found instanceof HTMLInputElement) setTyped(found.value);
  }, [form]);
  // Shows a result only for the name that is typed now.
  const current = check !== null && typed.trim() === answers.name ? check : null;
  const refused = current?.problem && current.problem !== 'unknown' ? current.problem : null;
  const unanswered = missing && typed.trim() === '';

  const enter = (name: string) => {
    setTyped(name);
    // What can’t be a name is reported once it is left.
    if (isName(name.trim())) follow();
    else keep();
  };
  const take = (name: string) => {
    const input = control();
    if (!input) return;
    input.value = name;
    input.focus();
    enter(name);
  };
  const onSubmit = (event: FormEvent) => {
    if (refused) {
      event.preventDefault();
      control()?.focus();
    } else leave();
  };
  return (
    <Form ref={form} action={hrefs.register()} className={wizard.form} onSubmit={onSubmit}>
      <HiddenAnswers answers={answers} without={['step', 'name', 'typed', 'kinds', 'key']} />
      <input type="hidden" name="step" value="node" />
      <div className={wizard.field}>
        <label htmlFor="name">Name</label>
        <div className={styles.name}>
          <input
            id="name"
            className={`${field.field} ${styles.input}`}
            name="name"
            defaultValue={answers.name}
            maxLength={64}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            aria-describedby="name-problem name-hint"
            aria-invalid={refused !== null || unanswered}
            autoFocus={refused !== null || unanswered}
            onChange={({ target }) => enter(target.value)}
            onBlur={() => {
              if (!current && typed.trim() !== '') follow();
            }}
          />
          <NameState
            state={current ? current.problem : isName(typed.trim()) && !offline ? 'checking' : null}
          />
        </div>
        <p className="visually-hidden" aria-live="polite">
          {current?.problem === null && current.message}
        </p>
        <div id="name-problem" className={styles.problem} aria-live="polite">
          {unanswered && 'Enter the name you want.'}
          {current && <Reason loaded={loaded} check={current} />}
        </div>
        {current && current.alternatives.length > 0 && (
          <div className={styles.alternatives}>
            <h2 id="alternatives">Available alternatives</h2>
            <ul className={chips.chips} aria-labelledby="alternatives">
              {current.alternatives.map((name) => (
                <li key={name}>
                  <Link
                    className={`${chips.chip} ${styles.alternative}`}
                    to={wizardHref({ ...answers, key: '', typed: '', step: 'name', name })}
                    onClick={(event) => {
                      event.preventDefault();
                      take(name);
                    }}
                  >
                    {name}
                  </Link>
                </li>
              ))}
            </ul>
          </div>
        )}
        <p id="name-hint" className={wizard.hint}>
          2–32 characters: a–z, 0–9, - and _. Must start and end with a letter or number. Uppercase
          is converted.
        </p>
      </div>
      {/* Shows that the boxes were there, even if none is ticked. */}
      <input type="hidden" name="kinds" value="" />
      <Choices
        legend="What is this name for?"
        name="kinds"
        type="checkbox"
        options={KINDS.map((kind) => ({
          value: kind,
          title: (
            <>
              <KindIcon kind={kind} />
              {KIND_CHOICES[kind].title}
            </>
          ),
          text: KIND_CHOICES[kind].text,
        }))}
        chosen={answers.kinds}
        autoFocus={errors.kinds !== undefined}
        onChange={follow}
        hint="Registering both costs the same. You can’t add the other later."
        error={errors.kinds}
      />
      <div className={wizard.actions}>
        <button className={button.primary}>Continue</button>
        <p className={text.secondary}>Nothing is reserved or charged yet.</p>
      </div>
    </Form>
  );
}

/** At the right end of the field, for the eye; it is said in a sentence. */
function NameState({
  state,
}: {
  state: 'checking' | NonNullable<LoadedWizard['check']>['problem'];
}) {
  if (state === 'checking')
    return (
      <span className={styles.checking} aria-hidden>
        Checking…
      </span>
    );
  if (state === null)
    return (
      <span className={styles.available} aria-hidden>
        <DoneIcon />
        Available
      </span>
    );
  if (state !== 'taken' && state !== 'reserved') return null;
  return (
    <span className={styles.refused} aria-hidden>
      <EndedIcon />
      {STATES[state]}
    </span>
  );
}

/** Why the name can’t be registered. */
function Reason({ loaded, check }: { loaded: LoadedWizard; check: LoadedWizard['check'] }) {
  const name = check?.name;
  const own = useSavedRegistrations().find((saved) => saved.name === name && !saved.ended);
  if (!check || check.problem === null) return null;
  const { activeSince } = loaded;
  if (own && check.problem === 'taken')
    return (
      <span className={styles.own}>
        You registered {own.name} in this browser:{' '}
        <Link to={hrefs.registration(own.id)}>continue with it</Link>.
      </span>
    );
  if (activeSince !== null)
    return (
      <>
        {name} is active since <DayOf at={activeSince} withYear />.{' '}
        <Link to={hrefs.name(check.name)}>View {name}</Link>
      </>
    );
  return <>{check.problem === 'taken' ? `${name} is taken, not active yet.` : check.message}</>;
}
