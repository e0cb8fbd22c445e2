import { Form } from '@remix-run/react';
import { useEffect, useReducer, useRef, useState } from 'react';
import { NODE_ID_PATTERN } from '@mesh-registry/protocol/values.schema.ts';
import * as hrefs from '#app/lib/hrefs.ts';
import { CLASS_WORDS } from '#app/lib/formatters.ts';
import button from '#app/ui/button.module.css';
import { Link } from '#app/ui/link.tsx';
import { RelativeTime } from '#app/ui/moment.tsx';
import { Notice } from '#app/ui/notice.tsx';
import { StateGlyph } from '#app/ui/state-glyph.tsx';
import text from '#app/ui/text.module.css';
import { Choices, HiddenAnswers } from './fields.tsx';
import { NodeField } from './node-field.tsx';
import { NodeNotices } from './node-notices.tsx';
import styles from './node-step.module.css';
import type { SavedAnswers } from './use-saved-answers.ts';
import { useSavedRegistrations } from './saved-registrations.ts';
import type { KnownNode, LoadedWizard } from './wizard-page.server.ts';
import wizard from './wizard.module.css';
import { regionChoice, wizardHref, type WizardAnswers } from './wizard.ts';

export interface NodeStepProps {
  loaded: LoadedWizard;
  saved: SavedAnswers;
  /** The answers as they are entered now. */
  answers: WizardAnswers;
  /** The URL of the step before. */
  back: string;
}

/** The node that the name belongs to, and which of its offers. */
export function NodeStep({ loaded, saved, answers, back }: NodeStepProps) {
  const { errors, node } = loaded;
  const { form, follow, leave } = saved;
  const [chosen, setChosen] = useState(errors.node === undefined ? loaded.answers.node : '');
  const change = useRef<HTMLAnchorElement>(null);
  /** How often a node was chosen or given up. */
  const [moves, countMove] = useReducer((count: number) => count + 1, 0);
  const followed = useRef(moves);
  useEffect(() => {
    if (followed.current === moves) return;
    // The form has changed by now.
    followed.current = moves;
    follow();
    if (chosen !== '') change.current?.focus();
  }, [moves, chosen, follow]);
  const choose = (id: string) => {
    setChosen(id);
    countMove();
  };
  const known = node?.id === chosen ? node : null;
  return (
    <Form
      ref={form}
      action={hrefs.register()}
      className={wizard.form}
      onSubmit={() => {
        leave();
        // What is entered is chosen: there may be something to see of it before the step is left.
        const entered = form.current?.elements.namedItem('node');
        if (entered instanceof HTMLInputElement && NODE_ID_PATTERN.test(entered.value.trim()))
          setChosen(entered.value.trim());
      }}
    >
      <HiddenAnswers answers={loaded.answers} without={['step', 'name', 'typed', 'node', 'key']} />
      <input type="hidden" name="step" value="details" />
      <input type="hidden" name="from" value={chosen === '' ? 'field' : 'node'} />
      {chosen === '' ? (
        <NodeField
          value={answers.node}
          known={node}
          error={errors.node}
          opened={moves > 0}
          onType={follow}
          onChoose={choose}
        />
      ) : (
        <div className={wizard.field}>
          <h2 className={styles.label}>Node</h2>
          <input type="hidden" name="node" value={chosen} />
          <div className={styles.node}>
            <StateGlyph
              state={known?.reported?.status ?? (known?.blocked ? 'blocked' : 'unknown')}
              size={16}
            />
            <div>
              <strong>{known?.reported?.label || chosen}</strong>
              <p>
                {known?.reported?.label && (
                  <>
                    <code>{chosen}</code> ·{' '}
                  </>
                )}
                <NodeState node={known} />
              </p>
            </div>
            <Link
              ref={change}
              className={button.button}
              to={wizardHref({ ...answers, key: '', step: 'node', node: '' })}
              onClick={(event) => {
                event.preventDefault();
                choose('');
              }}
            >
              Change<span className="visually-hidden"> node</span>
            </Link>
          </div>
          {known?.reported && (
            <div className={styles.reported}>
              <p className={text.secondary}>Filled in from its heartbeats</p>
              <dl>
                <div>
                  <dt>Label</dt>
                  <dd>{known.reported.label || 'none'}</dd>
                </div>
                <div>
                  <dt>Class</dt>
                  <dd>{CLASS_WORDS[known.reported.class]}</dd>
                </div>
                <div>
                  <dt>Region</dt>
                  <dd suppressHydrationWarning>
                    {known.reported.region === '' ? 'unknown' : regionChoice(known.reported.region)}
                  </dd>
                </div>
              </dl>
            </div>
          )}
        </div>
      )}
      <div className={styles.notices} aria-live="polite">
        {chosen !== '' && known && <NodeNotices node={known} />}
      </div>
      {known && answers.kinds.includes('compute') && known.offers.length > 0 ? (
        <Offers node={known} answers={answers} loaded={loaded} onChange={follow} />
      ) : (
        <>
          <input type="hidden" name="name" value={loaded.answers.name} />
          {loaded.answers.typed !== '' && (
            <input type="hidden" name="typed" value={loaded.answers.typed} />
          )}
        </>
      )}
      <div className={wizard.actions}>
        <button className={button.primary}>Continue</button>
        <Link className={button.button} to={back}>
          Back
        </Link>
        <p className={text.secondary}>Nothing is reserved or charged yet.</p>
      </div>
    </Form>
  );
}

/** "online, last heartbeat 6 s ago". */
export function NodeState({ node }: { node: KnownNode | null }) {
  if (!node) return <>looking it up…</>;
  if (node.blocked) return <>blocked</>;
  if (!node.reported)
    return (
      <>
        not on the map yet. We haven’t heard from this node: you can register its name now and send
        heartbeats later.
      </>
    );
  return (
    <>
      {node.reported.status}, last heartbeat <RelativeTime at={node.reported.lastSeen} />
    </>
  );
}

interface OffersProps {
  node: KnownNode;
  answers: WizardAnswers;
  loaded: LoadedWizard;
  onChange: () => void;
}

/** The offers that the node announces, and the name that was typed. */
function Offers({ node, answers, loaded, onChange }: OffersProps) {
  const typed = loaded.answers.typed || loaded.answers.name;
  const registered = useSavedRegistrations();
  const label = node.reported?.label || node.id;
  const ends = {
    available: <span className={styles.available}>available</span>,
    taken: 'taken',
    reserved: 'reserved',
    invalid: 'not a valid name',
    active: 'active',
  };
  const isOwn = (name: string) =>
    registered.some((saved) => saved.name === name && saved.nodeId === node.id);
  const offers = node.offers.map(({ name, image, replicas, freeSlots, state }) => ({
    value: name,
    title: name,
    text: (
      <>
        {image !== null && (
          <>
            <code>{image}</code> ·{' '}
          </>
        )}
        {replicas === 1 ? '1 replica' : `${replicas} replicas`}, {freeSlots} free
      </>
    ),
    end: state === 'active' && isOwn(name) ? 'active, yours' : ends[state],
    disabled: state !== 'available',
  }));
  const announced = (name: string) => node.offers.some((offer) => offer.name === name);
  return (
    <>
      <input type="hidden" name="typed" value={typed} />
      <Choices
        legend="Which of its offers?"
        name="name"
        type="radio"
        options={[
          ...(announced(typed)
            ? []
            : [
                {
                  value: typed,
                  title: typed,
                  text: 'Not announced yet. Rename an offer on the node to match.',
                  end: ends.available,
                },
              ]),
          ...offers,
        ]}
        chosen={[loaded.answers.name]}
        onChange={onChange}
        notice={
          !announced(answers.name) && (
            <Notice className={styles.warning}>
              <strong>
                {label} doesn’t announce “{answers.name}”.
              </strong>{' '}
              A compute offer is listed only under its own name. Register one of its offers, or
              announce {answers.name} later.
            </Notice>
          )
        }
        hint="Choosing another offer registers its name instead."
        error={undefined}
      />
    </>
  );
}
