import { useId } from 'react';
import styles from './own-nodes.module.css';
import { useSavedRegistrations } from './use-saved-registrations.ts';

interface OwnNodesProps {
  /** The id in the field. */
  chosen: string;
  onPick: (nodeId: string) => void;
}

/** The nodes of the registrations that this browser remembers. Others are never offered: they may be anybody's. */
export function OwnNodes({ chosen, onPick }: OwnNodesProps) {
  const heading = useId();
  const namesOf = new Map<string, string[]>();
  for (const { nodeId, name } of useSavedRegistrations())
    if (nodeId !== undefined) namesOf.set(nodeId, [...(namesOf.get(nodeId) ?? []), name]);
  if (namesOf.size === 0) return null;
  return (
    <div className={styles.picker}>
      <h2 id={heading}>Or choose a node you registered on this device</h2>
      <ul aria-labelledby={heading}>
        {[...namesOf].map(([nodeId, names]) => (
          <li key={nodeId}>
            <button type="button" aria-pressed={nodeId === chosen} onClick={() => onPick(nodeId)}>
              <code>{nodeId}</code>
              <span className={styles.facts}>{names.join(', ')}</span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
