import { Form, Link } from '@remix-run/react';
import { useEffect, useRef, type RefObject } from 'react';
import { KINDS, NODE_CLASSES, UNKNOWN_REGION } from '@mesh-registry/protocol/values.schema.ts';
import * as hrefs from '#app/lib/hrefs.ts';
import button from '#app/ui/button.module.css';
import text from '#app/ui/text.module.css';
import { ChoiceCards, Field, HiddenAnswers } from './fields.tsx';
import { NodeField } from './node-field.tsx';
import type { SavedAnswers } from './use-saved-answers.ts';
import type { LoadedWizard, TypedNode } from './wizard-page.server.ts';
import styles from './wizard.module.css';
import { CLASS_LABELS, readAnswers, withReported, type Reported } from './wizard.ts';

export interface DetailsStepProps {
  loaded: LoadedWizard;
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
export function DetailsStep({ loaded, saved, back }: DetailsStepProps) {
  const { answers, errors, regions, typed } = loaded;
  const { form, follow, leave } = saved;
  useReportedDetails(form, typed, follow);
  const inOrder = ['kinds', 'class', 'node', 'region', 'label'] as const;
  const firstWrong = inOrder.find((name) => errors[name]);
  const control = (name: (typeof inOrder)[number]) => ({
    name,
    error: errors[name],
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
        {...control('kinds')}
        legend="What is this name for?"
        type="checkbox"
        options={KINDS.map((kind) => ({ value: kind, ...KIND_LABELS[kind] }))}
        chosen={answers.kinds}
        hint="Registering both costs the same. You can’t add the other later."
      />
      <ChoiceCards
        {...control('class')}
        legend="How large is it?"
        type="radio"
        options={NODE_CLASSES.map((size) => ({ value: size, ...CLASS_LABELS[size] }))}
        chosen={[answers.class]}
      />
      <NodeField {...control('node')} value={answers.node} typed={typed} onPick={pick} />
      <div className={styles.pair}>
        <Field
          {...control('region')}
          label="Region"
          optional
          defaultValue={answers.region}
          list="regions"
          maxLength={32}
          autoCapitalize="characters"
          spellCheck={false}
          hint={`A code such as EU or NA. Defaults to ${UNKNOWN_REGION} (unknown).`}
        />
        <datalist id="regions">
          {regions?.map((region) => (
            <option key={region} value={region} />
          ))}
        </datalist>
        <Field
          {...control('label')}
          label="Label"
          optional
          defaultValue={answers.label}
          maxLength={128}
          hint="Shown beside the name. Defaults to the name."
        />
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
