import { Form, Link } from '@remix-run/react';
import { useRef } from 'react';
import { KINDS, NODE_CLASSES, UNKNOWN_REGION } from '#server/common/values.schema.ts';
import type { UnnamedNode, UnnamedNodes } from '#server/mesh/index.ts';
import { count } from '#app/lib/formatters.ts';
import type { Problems } from './wizard.server.ts';
import { CLASS_WORDS, readWizard, withNode, type Wizard } from './wizard.ts';
import { Status } from '#app/ui/status-icon.tsx';
import { RelativeTime } from '#app/ui/relative-time.tsx';
import { BlockedChoice } from './blocked-node.tsx';
import { FieldProblem } from './field-problem.tsx';
import { HiddenFields } from './hidden-fields.tsx';
import type { KeptAnswers } from './use-saved-answers.ts';

export interface WhatStepProps {
  wizard: Wizard;
  problems: Problems;
  offered: UnnamedNodes;
  /** What is known of the node whose id was typed. */
  typed: TypedNode | null;
  kept: KeptAnswers;
  /** The way to the step before. */
  back: string;
}

export interface TypedNode {
  status: string | null;
  lastSeen: string | null;
  names: string[];
  /** Reviewers have blocked it: nothing that it sent is told. */
  blocked: boolean;
}

const KIND_WORDS = {
  node: { title: 'Node', text: 'It is on the map, and the name stands for its place there.' },
  compute: { title: 'Compute', text: 'Its free capacity is in the directory under the name.' },
};

export function WhatStep({ wizard, problems, offered, typed, kept, back }: WhatStepProps) {
  const { form, follow, leave } = kept;
  const picked = useRef<UnnamedNode>();
  const first = (['kinds', 'class', 'node', 'region', 'label'] as const).find(
    (field) => problems[field],
  );
  const described = (field: keyof Problems, hint = '') => ({
    'aria-describedby': `${hint} ${field}-problem`.trim(),
    'aria-invalid': problems[field] !== undefined,
    autoFocus: field === first,
  });
  const pick = (node: UnnamedNode) => {
    if (!form.current) return;
    const answers = withNode(readWizard(new FormData(form.current)), node, picked.current);
    picked.current = node;
    for (const name of ['node', 'class', 'region'] as const) {
      const field = form.current.elements.namedItem(name);
      if (field instanceof HTMLInputElement || field instanceof RadioNodeList)
        field.value = answers[name];
    }
    follow();
  };
  return (
    <Form ref={form} action="/register" className="wizard-form" onSubmit={leave} onChange={follow}>
      <HiddenFields
        wizard={wizard}
        without={['step', 'kinds', 'class', 'region', 'label', 'node', 'key']}
      />
      {/* Enter in a field goes on; without this one it would press the first node that is offered. */}
      <button
        className="visually-hidden"
        name="step"
        value="check"
        tabIndex={-1}
        aria-hidden
        disabled={false}
      />
      <fieldset className="wizard-field" aria-describedby="kinds-problem">
        <legend>What shall the name stand for?</legend>
        <div className="choice-cards two">
          {KINDS.map((kind, index) => (
            <label key={kind} className="choice-card">
              <input
                type="checkbox"
                name="kinds"
                value={kind}
                defaultChecked={wizard.kinds.includes(kind)}
                {...(index === 0 && described('kinds'))}
              />
              <span>
                <strong>{KIND_WORDS[kind].title}</strong>
                <span className="secondary">{KIND_WORDS[kind].text}</span>
              </span>
            </label>
          ))}
        </div>
        <p className="secondary">Both cost no more than one. A kind cannot be added later.</p>
        <FieldProblem id="kinds-problem" text={problems.kinds} />
      </fieldset>

      <fieldset className="wizard-field" aria-describedby="class-problem">
        <legend>How big is it?</legend>
        <div className="choice-cards three">
          {NODE_CLASSES.map((size, index) => (
            <label key={size} className="choice-card">
              <input
                type="radio"
                name="class"
                value={size}
                defaultChecked={wizard.class === size}
                {...(index === 0 && { autoFocus: first === 'class' })}
              />
              <span>
                <strong>{CLASS_WORDS[size].title}</strong>
                <span className="secondary">{CLASS_WORDS[size].text}</span>
              </span>
            </label>
          ))}
        </div>
        <FieldProblem id="class-problem" text={problems.class} />
      </fieldset>

      <div className="wizard-field">
        <label htmlFor="node">Id of the node</label>
        <input
          id="node"
          className="field mono"
          name="node"
          defaultValue={wizard.node}
          maxLength={128}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          {...described('node', 'node-hint node-blocked')}
        />
        <div id="node-hint" className="secondary">
          {typed && (typed.names.length > 0 || !typed.blocked) ? (
            <TypedNodeHint node={typed} />
          ) : (
            'The one that sends the heartbeats, or announces the compute.'
          )}
        </div>
        <div id="node-blocked" aria-live="polite">
          {typed?.blocked && <BlockedChoice />}
        </div>
        <FieldProblem id="node-problem" text={problems.node} />
        <Offered offered={offered} wizard={wizard} onPick={pick} />
        <details>
          <summary>How to find the id of your node</summary>
          <p>
            It is the <code>nodeId</code> that the node sends with each heartbeat and announce: look
            into its configuration. If it has none yet, choose one: 2 to 64 of{' '}
            <code>a-z A-Z 0-9 _ -</code>. Upper and lower case are different ids.{' '}
            <Link to="/docs/operators" target="_blank">
              How a node reports (opens another tab)
            </Link>
          </p>
        </details>
      </div>

      <div className="wizard-pair">
        <div className="wizard-field">
          <label htmlFor="region">
            Region <span className="optional">optional</span>
          </label>
          <input
            id="region"
            className="field"
            name="region"
            defaultValue={wizard.region}
            list="regions"
            maxLength={32}
            autoComplete="off"
            autoCapitalize="characters"
            spellCheck={false}
            {...described('region', 'region-hint')}
          />
          <datalist id="regions">
            {offered.regions.slice(0, 50).map((region) => (
              <option key={region} value={region} />
            ))}
          </datalist>
          <p id="region-hint" className="secondary">
            A code like EU or NA. Left out: {UNKNOWN_REGION}, unknown.
          </p>
          <FieldProblem id="region-problem" text={problems.region} />
        </div>
        <div className="wizard-field">
          <label htmlFor="label">
            Label <span className="optional">optional</span>
          </label>
          <input
            id="label"
            className="field"
            name="label"
            defaultValue={wizard.label}
            maxLength={128}
            autoComplete="off"
            {...described('label', 'label-hint')}
          />
          <p id="label-hint" className="secondary">
            Shown beside the name. Left out: the name itself.
          </p>
          <FieldProblem id="label-problem" text={problems.label} />
        </div>
      </div>

      <div className="wizard-next">
        <button className="button primary" name="step" value="check">
          Continue
        </button>
        <Link className="button" to={back}>
          Back
        </Link>
        <p className="secondary">Next you see all of it once more. Nothing is held or paid yet.</p>
      </div>
    </Form>
  );
}

function TypedNodeHint({ node: { status, lastSeen, names } }: { node: TypedNode }) {
  if (names.length > 0)
    return (
      <>
        It has {names.length === 1 ? 'the name' : 'the names'} <strong>{names.join(', ')}</strong>{' '}
        already, and may have another one.
      </>
    );
  if (status === null || lastSeen === null)
    return <>No heartbeat of it has come. You may register it all the same, and send them later.</>;
  if (status === 'offline')
    return (
      <>
        It is known, and offline: its last heartbeat came <RelativeTime at={lastSeen} />.
      </>
    );
  return (
    <>
      It pings now: <RelativeTime at={lastSeen} />.
    </>
  );
}

interface OfferedProps {
  offered: UnnamedNodes;
  wizard: Wizard;
  onPick: (node: UnnamedNode) => void;
}

/** Nodes of which one may be the operator's own. Without scripts a button sends the form, with the node in it. */
function Offered({ offered: { nodes, total }, wizard, onPick }: OfferedProps) {
  if (nodes.length === 0) return null;
  return (
    <div className="node-choice">
      <h2 id="offered">
        {wizard.node === ''
          ? 'Or choose one that pings now and has no name'
          : 'Without a name, and pinging now'}
      </h2>
      <ul aria-labelledby="offered">
        {nodes.map((node) => (
          <li key={node.id}>
            <button
              name="pick"
              value={node.id}
              aria-pressed={node.id === wizard.node}
              onClick={(event) => {
                event.preventDefault();
                onPick(node);
              }}
            >
              <code>{node.id}</code>
              {node.label !== node.id && <span>{node.label}</span>}
              <span className="facts-line">
                <Status status={node.status} size={node.class} />
                {node.region !== UNKNOWN_REGION && <span>{node.region}</span>}
                <span>
                  joined <RelativeTime at={node.joinedAt} />
                </span>
              </span>
            </button>
          </li>
        ))}
      </ul>
      {total > nodes.length && (
        <p className="secondary">
          {count(total - nodes.length)} more: type a part of its id or label.
        </p>
      )}
    </div>
  );
}
