import { Form } from '@remix-run/react';
import { useState } from 'react';
import { NODE_CLASSES } from '@mesh-registry/protocol/values.schema.ts';
import * as hrefs from '#app/lib/hrefs.ts';
import button from '#app/ui/button.module.css';
import chips from '#app/ui/chips.module.css';
import { Link } from '#app/ui/link.tsx';
import text from '#app/ui/text.module.css';
import { Choices, Field, HiddenAnswers } from './fields.tsx';
import type { SavedAnswers } from './use-saved-answers.ts';
import type { LoadedWizard } from './wizard-page.server.ts';
import styles from './wizard.module.css';
import { CLASS_LABELS, regionChoice, wizardHref } from './wizard.ts';

export interface DetailsStepProps {
  loaded: LoadedWizard;
  saved: SavedAnswers;
  /** The URL of the step before. */
  back: string;
}

/** Region codes that mean continents, which any network may use. */
const CONTINENTS = ['AF', 'AN', 'AS', 'EU', 'NA', 'OC', 'SA'];

/** Label, class and region, as the node’s heartbeats say them until the operator enters others. */
export function DetailsStep({ loaded, saved, back }: DetailsStepProps) {
  const { answers, errors, regions, node, details } = loaded;
  const { form, follow, keep, leave } = saved;
  const reported = node?.reported;
  const filled = {
    label: answers.label || reported?.label || '',
    region: answers.region || reported?.region || '',
  };
  const [label, setLabel] = useState(filled.label);
  // A verdict is on what was checked, not on what has been typed since.
  const refused = label.trim() === filled.label ? errors.label : undefined;
  const firstWrong = (['label', 'class', 'region'] as const).find((name) => errors[name]);
  const suggested = loaded.suggestedLabel ?? (reported?.label || answers.name);
  const says = (value: string | undefined) => (value ? `Its heartbeats say ${value}.` : '');
  const known = [...new Set([...(regions ?? []), ...CONTINENTS])];
  return (
    <Form ref={form} action={hrefs.register()} className={styles.form} onSubmit={leave}>
      <HiddenAnswers answers={answers} without={['step', 'class', 'region', 'label', 'key']} />
      <input type="hidden" name="step" value="check" />
      <Field
        name="label"
        label="Label"
        optional
        defaultValue={filled.label}
        maxLength={128}
        placeholder={answers.name}
        error={refused && <Refusal text={refused} />}
        autoFocus={firstWrong === 'label'}
        onChange={({ target }) => {
          setLabel(target.value);
          keep();
        }}
        onBlur={follow}
        hint={
          !refused &&
          (says(reported?.label) || 'Shown beside the name. Without one it is the name.')
        }
      >
        {refused && suggested !== label.trim() && (
          <p className={styles.suggestion}>
            <Link
              className={`${chips.chip} ${styles.chip}`}
              to={wizardHref({ ...answers, key: '', label: suggested })}
              onClick={(event) => {
                const control = form.current?.elements.namedItem('label');
                if (!(control instanceof HTMLInputElement)) return;
                event.preventDefault();
                control.value = suggested;
                setLabel(suggested);
                control.focus();
                follow();
              }}
            >
              Use “{suggested}”
            </Link>
          </p>
        )}
      </Field>
      <Choices
        legend="Class"
        name="class"
        type="radio"
        columns
        options={NODE_CLASSES.map((size) => ({ value: size, ...CLASS_LABELS[size] }))}
        chosen={[details.class]}
        autoFocus={firstWrong === 'class'}
        onChange={follow}
        hint={says(reported?.class)}
        error={errors.class}
      />
      <div>
        <Field
          name="region"
          label="Region"
          optional
          defaultValue={filled.region && regionChoice(filled.region)}
          list="regions"
          maxLength={64}
          autoCapitalize="characters"
          spellCheck={false}
          error={errors.region}
          autoFocus={firstWrong === 'region'}
          onChange={follow}
          hint={`${says(reported?.region)} Type any code of A–Z, 0–9, - and _, up to 16 characters.`.trim()}
        />
        <datalist id="regions">
          {known.map((region) => (
            <option key={region} value={regionChoice(region)} />
          ))}
        </datalist>
      </div>
      <div className={styles.actions}>
        <button className={button.primary}>Continue</button>
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

/** Why a label is refused: the reason, then what to do. */
function Refusal({ text: reason }: { text: string }) {
  const [, first = reason, rest = ''] = /^(.*?[.])\s+(.+)$/.exec(reason) ?? [];
  return (
    <span>
      <strong>{first}</strong> <span className={styles.remedy}>{rest}</span>
    </span>
  );
}
