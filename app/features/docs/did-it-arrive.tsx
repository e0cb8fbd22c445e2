import { Link } from '@remix-run/react';
import { useId, useState } from 'react';
import type { Peer } from '@mesh-registry/protocol/rest/mesh.schema.ts';
import { NODE_ID_PATTERN } from '@mesh-registry/protocol/values.schema.ts';
import * as hrefs from '#app/lib/hrefs.ts';
import { usePolling } from '#app/lib/polling.ts';
import field from '#app/ui/field.module.css';
import { StateGlyph } from '#app/ui/state-glyph.tsx';
import styles from './did-it-arrive.module.css';

/** It asks this often, for this long (ms). */
const EVERY_MS = 5000;
const AT_MOST_MS = 600_000;

type Found = Pick<Peer, 'id' | 'status'>;

/** Null: no such node. @throws where the service can’t be reached */
async function findNode(id: string, signal: AbortSignal): Promise<Found | null> {
  const input = encodeURIComponent(JSON.stringify({ id }));
  const response = await fetch(`${hrefs.api.trpc('mesh.node')}?input=${input}`, { signal });
  if (!response.ok) throw new Error(String(response.status));
  return ((await response.json()) as { result: { data: Found | null } }).result.data;
}

/** Asks for a node until its first heartbeat has arrived. Without scripts it searches for it. */
export function DidItArrive() {
  const id = useId();
  const [nodeId, setNodeId] = useState('');
  const [since, setSince] = useState(0);
  const [found, setFound] = useState<Found | null>(null);
  const [state, setState] = useState<'asking' | 'away' | 'over'>('asking');
  const isValid = NODE_ID_PATTERN.test(nodeId);
  const isAsking = isValid && !found && state !== 'over';
  usePolling(
    async (signal) => {
      if (Date.now() - since > AT_MOST_MS) return setState('over');
      try {
        const node = await findNode(nodeId, signal);
        if (signal.aborted) return;
        setFound(node);
        setState('asking');
      } catch {
        if (!signal.aborted) setState('away');
      }
    },
    { everyMs: isAsking ? EVERY_MS : null, immediately: true },
  );
  const ask = (value: string) => {
    setNodeId(value.trim());
    setSince(Date.now());
    setFound(null);
    setState('asking');
  };
  return (
    <form
      className={styles.form}
      action={hrefs.search()}
      onSubmit={(event) => event.preventDefault()}
    >
      {found ? <StateGlyph state={found.status} /> : <span className={styles.ring} aria-hidden />}
      <div>
        <label htmlFor={id}>Did it arrive?</label>{' '}
        <span className={styles.state} role="status">
          {found ? (
            <>
              Yes. <Link to={hrefs.node(found.id)}>View {found.id}</Link>
            </>
          ) : isValid ? (
            WORDS[state]
          ) : nodeId.length > 1 ? (
            'An ID has 2–64 letters, digits, _ and -.'
          ) : (
            'Enter your node’s ID. This updates automatically.'
          )}
        </span>
      </div>
      <input
        id={id}
        name="q"
        className={field.field}
        placeholder="my_node"
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        onChange={(event) => ask(event.target.value)}
      />
      <button className="without-scripts">Search</button>
    </form>
  );
}

const WORDS = {
  asking: 'Not yet. Waiting for its first heartbeat.',
  away: 'The service can’t be reached. Asking again.',
  over: 'Nothing for ten minutes. Check the command’s output, then enter the ID again.',
};
