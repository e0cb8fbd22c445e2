import { useEffect, useRef, useState, type FocusEvent, type KeyboardEvent } from 'react';
import type { Peer } from '@mesh-registry/protocol/rest/mesh.schema.ts';
import { NODE_ID_PATTERN } from '@mesh-registry/protocol/values.schema.ts';
import { regionInWords } from '#app/lib/formatters.ts';
import { useHydrated } from '#app/lib/use-hydrated.ts';
import card from '#app/ui/card.module.css';
import { useCombobox } from '#app/ui/combobox.tsx';
import { RelativeTime } from '#app/ui/moment.tsx';
import { SearchIcon } from '#app/ui/search-box.tsx';
import search from '#app/ui/search-field.module.css';
import { StateGlyph } from '#app/ui/state-glyph.tsx';
import { FieldError } from './fields.tsx';
import styles from './node-field.module.css';
import { useSavedRegistrations } from './saved-registrations.ts';
import type { KnownNode } from './wizard-page.server.ts';
import wizard from './wizard.module.css';

interface NodeFieldProps {
  /** The id that is entered. */
  value: string;
  /** What is known of the node that was entered when the answers were last checked. */
  known: KnownNode | null;
  error: string | undefined;
  /** Whether it takes the place of a node that was chosen, and gets the focus. */
  opened: boolean;
  onType: () => void;
  onChoose: (nodeId: string) => void;
}

/**
 * The field for the node’s id. It suggests the nodes that were registered in this browser; any other is chosen by its
 * complete id alone, and never searched or listed. Without scripts a plain field.
 * https://www.w3.org/WAI/ARIA/apg/patterns/combobox/
 */
export function NodeField(props: NodeFieldProps) {
  const { value, known, error, opened, onType, onChoose } = props;
  const hydrated = useHydrated();
  const input = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useState(value);
  const [open, setOpen] = useState(false);
  /** An id that was pasted: it is chosen once the service knows it. */
  const pasted = useRef('');
  const own = useOwnNodes();
  const entered = typed.trim();
  const isId = NODE_ID_PATTERN.test(entered) && entered.toLowerCase() !== 'genesis';

  const matching = own.filter(
    ({ id, peer }) => matches(id, entered) || matches(peer?.label ?? '', entered),
  );
  const asId = isId && !own.some(({ id }) => id === entered) ? [entered] : [];
  const options = [...matching.map(({ id }) => id), ...asId];
  const expanded = open && options.length > 0;
  const combobox = useCombobox(options, expanded);

  useEffect(() => {
    // What was typed before hydration.
    setTyped(input.current?.value ?? '');
  }, []);
  useEffect(() => {
    if (opened) input.current?.select();
  }, [opened]);
  const knownId = known && (known.reported ?? known.blocked) ? known.id : null;
  useEffect(() => {
    if (knownId === null || pasted.current !== knownId || entered !== knownId) return;
    pasted.current = '';
    onChoose(knownId);
  }, [knownId, entered, onChoose]);

  const onKeyDown = (event: KeyboardEvent) => {
    const chosen = options[combobox.active] ?? (isId ? entered : undefined);
    if (combobox.move(event.key)) setOpen(true);
    else if (event.key === 'Escape' && expanded) {
      setOpen(false);
      combobox.reset();
    } else if (event.key === 'Enter' && chosen !== undefined) onChoose(chosen);
    else return;
    event.preventDefault();
  };
  const onBlur = ({ currentTarget, relatedTarget }: FocusEvent<HTMLElement>) => {
    if (!currentTarget.contains(relatedTarget)) setOpen(false);
  };
  return (
    <div className={wizard.field}>
      <label htmlFor="node">Node</label>
      <div className={styles.picker} onBlur={onBlur}>
        <div className={`${search.search} ${styles.search}`}>
          <SearchIcon />
          <input
            ref={input}
            id="node"
            name="node"
            defaultValue={value}
            placeholder="Node ID"
            maxLength={128}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            aria-describedby="node-hint node-problem"
            aria-invalid={error !== undefined}
            autoFocus={error !== undefined}
            onFocus={() => setOpen(true)}
            onClick={() => setOpen(true)}
            onPaste={() => {
              pasted.current = 'pasting';
            }}
            onChange={({ target }) => {
              pasted.current = pasted.current === 'pasting' ? target.value.trim() : '';
              combobox.reset();
              setOpen(true);
              setTyped(target.value);
              onType();
            }}
            {...(hydrated && { ...combobox.field, onKeyDown })}
          />
        </div>
        {expanded && (
          <ul
            {...combobox.list}
            className={`${card.floating} ${styles.list}`}
            aria-label="Your nodes"
            // The field keeps the focus while one is clicked.
            onPointerDown={(event) => event.preventDefault()}
          >
            {matching.length > 0 && (
              <li role="presentation" className={styles.caption}>
                <strong>Your nodes</strong>
                <span>saved in this browser</span>
              </li>
            )}
            {matching.map(({ id, peer }, index) => (
              <li
                key={id}
                {...combobox.option(index)}
                className={styles.option}
                onClick={() => onChoose(id)}
              >
                <StateGlyph state={peer?.status ?? 'unknown'} />
                <span className={styles.what}>
                  {peer && peer.label !== id && (
                    <strong>
                      <Marked text={peer.label} part={entered} />
                    </strong>
                  )}
                  <code>
                    <Marked text={id} part={entered} />
                  </code>
                </span>
                <span className={styles.end}>
                  {peer ? <Facts peer={peer} /> : 'not on the map'}
                </span>
              </li>
            ))}
            {asId.map((id) => (
              <li
                key={id}
                {...combobox.option(matching.length)}
                className={`${styles.option} ${styles.last}`}
                onClick={() => onChoose(id)}
              >
                <StateGlyph state={(known?.id === id && known.reported?.status) || 'unknown'} />
                <span className={styles.what}>
                  <strong>Use “{id}” as an ID</strong>
                </span>
                <span className={styles.end}>
                  {known?.id === id && knownId === null && 'not on the map yet'}
                </span>
              </li>
            ))}
          </ul>
        )}
      </div>
      <FieldError id="node-problem" text={error} />
      <p id="node-hint" className={wizard.hint}>
        {own.length > 0
          ? 'Choose one of yours, or paste the exact ID.'
          : 'Paste or type the exact ID.'}
      </p>
    </div>
  );
}

function Facts({ peer }: { peer: Peer }) {
  return (
    <>
      <span className={styles.wide} suppressHydrationWarning>
        {peer.class} · {regionInWords(peer.region)} ·{' '}
      </span>
      <RelativeTime at={peer.lastSeen} />
    </>
  );
}

/** A text with the part marked that was typed. */
function Marked({ text, part }: { text: string; part: string }) {
  const at = part === '' ? -1 : text.toLowerCase().indexOf(part.toLowerCase());
  if (at < 0) return <>{text}</>;
  const end = at + part.length;
  return (
    <>
      {text.slice(0, at)}
      <mark>{text.slice(at, end)}</mark>
      {text.slice(end)}
    </>
  );
}

const matches = (text: string, part: string) => text.toLowerCase().includes(part.toLowerCase());

interface OwnNode {
  id: string;
  /** As on the map; null: not there, or not known yet. */
  peer: Peer | null;
}

/** The nodes of the registrations that this browser remembers, each asked for by its id. */
function useOwnNodes(): OwnNode[] {
  const ids = [
    ...new Set(useSavedRegistrations().flatMap(({ nodeId }) => (nodeId ? [nodeId] : []))),
  ];
  const all = ids.join(' ');
  const [peers, setPeers] = useState<ReadonlyMap<string, Peer | null>>(new Map());
  useEffect(() => {
    if (all === '') return;
    const gone = new AbortController();
    const { signal } = gone;
    const look = async () => {
      // Only who has registered before needs the client.
      const { trpc } = await import('#app/lib/trpc.client.ts');
      const found = await Promise.all(
        all
          .split(' ')
          // A node that can’t be looked up is offered by its id.
          .map(
            async (id) =>
              [id, await trpc.mesh.node.query({ id }, { signal }).catch(() => null)] as const,
          ),
      );
      if (!signal.aborted) setPeers(new Map(found));
    };
    void look();
    return () => gone.abort();
  }, [all]);
  return ids.map((id) => ({ id, peer: peers.get(id) ?? null }));
}
