import { Form, Link } from '@remix-run/react';
import { useEffect, useRef, type RefObject } from 'react';
import { KINDS, NODE_CLASSES, UNKNOWN_REGION } from '@mesh-registry/protocol/values.schema.ts';
import * as hrefs from '#app/lib/hrefs.ts';
import button from '#app/ui/button.module.css';
import field from '#app/ui/field.module.css';
import text from '#app/ui/text.module.css';
import { ChoiceCards } from './choice-cards.tsx';
import { FieldError, HiddenAnswers } from './form-parts.tsx';
import { NodeField, type TypedNode } from './node-field.tsx';
import type { SavedAnswers } from './use-saved-answers.ts';
import type { FieldErrors } from './wizard-answers.server.ts';
import styles from './wizard.module.css';
import {
  CLASS_LABELS,
  readAnswers,
  withReported,
  type Reported,
  type WizardAnswers,
} from './wizard.ts';

export interface DetailsStepProps {
  answers: WizardAnswers;
  errors: FieldErrors;
  /** Regions to suggest. */
  regions: string[];
  /** What is known of the node whose id was typed. */
  typed: TypedNode | null;
  saved: SavedAnswers;
  /** The URL of the step before. */
  back: string;
}

const KIND_LABELS = {
  node: { title: 'Node', text: 'A node on the map, shown under this name.' },
  compute: {
    title: 'Compute offer',
    text: 'Free capacity, listed in the directory under this name.',
  },
};

/** What the name is for: kinds, class, node, region and label. */
export function DetailsStep({ answers, errors, regions, typed, saved, back }: DetailsStepProps) {
  const { form, follow, leave } = saved;
  useReportedDetails(form, typed, follow);
  const firstWrong = (['kinds', 'class', 'node', 'region', 'label'] as const).find(
    (name) => errors[name],
  );
  const described = (name: keyof FieldErrors, hint = '') => ({
    'aria-describedby': `${hint} ${name}-problem`.trim(),
    'aria-invalid': errors[name] !== undefined,
    autoFocus: name === firstWrong,
  });
  const pick = (nodeId: string) => {
    const control = form.current?.elements.namedItem('node');
    if (control instanceof HTMLInputElement) control.value = nodeId;
    follow();
  };
  return (
    <Form
      ref={form}
      action={hrefs.register()}
      className={styles.form}
      onSubmit={leave}
      onChange={follow}
    >
      <HiddenAnswers
        answers={answers}
        without={['step', 'kinds', 'class', 'region', 'label', 'node', 'key']}
      />
      <ChoiceCards
        legend="What is this name for?"
        name="kinds"
        type="checkbox"
        columns="two"
        options={KINDS.map((kind) => ({ value: kind, ...KIND_LABELS[kind] }))}
        isChecked={(kind) => answers.kinds.includes(kind)}
        first={described('kinds')}
        hint="Registering both costs the same. You can’t add the other later."
        error={errors.kinds}
      />
      <ChoiceCards
        legend="How large is it?"
        name="class"
        type="radio"
        columns="three"
        options={NODE_CLASSES.map((size) => ({ value: size, ...CLASS_LABELS[size] }))}
        isChecked={(size) => answers.class === size}
        first={{ autoFocus: firstWrong === 'class' }}
        error={errors.class}
      />
      <NodeField
        value={answers.node}
        typed={typed}
        error={errors.node}
        described={described('node', 'node-hint node-notices')}
        onPick={pick}
      />
      <div className={styles.pair}>
        <div className={styles.field}>
          <label htmlFor="region">
            Region <span className={styles.optional}>optional</span>
          </label>
          <input
            id="region"
            className={`${field.field} ${styles.control}`}
            name="region"
            defaultValue={answers.region}
            list="regions"
            maxLength={32}
            autoComplete="off"
            autoCapitalize="characters"
            spellCheck={false}
            {...described('region', 'region-hint')}
          />
          <datalist id="regions">
            {regions.map((region) => (
              <option key={region} value={region} />
            ))}
          </datalist>
          <p id="region-hint" className={styles.hint}>
            A code such as EU or NA. Defaults to {UNKNOWN_REGION} (unknown).
          </p>
          <FieldError id="region-problem" text={errors.region} />
        </div>
        <div className={styles.field}>
          <label htmlFor="label">
            Label <span className={styles.optional}>optional</span>
          </label>
          <input
            id="label"
            className={`${field.field} ${styles.control}`}
            name="label"
            defaultValue={answers.label}
            maxLength={128}
            autoComplete="off"
            {...described('label', 'label-hint')}
          />
          <p id="label-hint" className={styles.hint}>
            Shown beside the name. Defaults to the name.
          </p>
          <FieldError id="label-problem" text={errors.label} />
        </div>
      </div>
      <div className={styles.actions}>
        <button className={button.primary} name="step" value="check">
          Continue
        </button>
        <Link className={button.button} to={back}>
          Back
        </Link>
        <p className={text.secondary}>
          Next, check your details. Nothing is reserved or charged yet.
        </p>
      </div>
    </Form>
  );
}

/**
 * Fills in class and region as the node reports them, once another node's id has been entered. What the operator
 * entered stays.
 * @param typed the node whose id was entered when the answers were last checked
 * @param follow called after a change
 */
function useReportedDetails(
  form: RefObject<HTMLFormElement>,
  typed: TypedNode | null,
  follow: () => void,
): void {
  // The answers that the page was loaded with were checked before.
  const last = useRef<{ id: string | undefined; reported: Reported | undefined }>({
    id: typed?.id,
    reported: typed?.reported ?? undefined,
  });
  useEffect(() => {
    if (!form.current || !typed || typed.id === last.current.id) return;
    const answers = readAnswers(new FormData(form.current));
    if (answers.node !== typed.id) return;
    const { reported: before } = last.current;
    last.current = { id: typed.id, reported: typed.reported ?? undefined };
    const filled = withReported(answers, typed.reported, before);
    for (const name of ['class', 'region'] as const) {
      const control = form.current.elements.namedItem(name);
      if (control instanceof HTMLInputElement || control instanceof RadioNodeList)
        control.value = filled[name];
    }
    follow();
  }, [form, typed, follow]);
}
