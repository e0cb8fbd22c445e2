import { UNKNOWN_REGION } from '#server/common/values.schema.ts';
import type { UnnamedNode, UnnamedNodes } from '#server/mesh/index.ts';
import { count } from '#app/lib/formatters.ts';
import { RelativeTime } from '#app/ui/relative-time.tsx';
import { Status } from '#app/ui/status-icon.tsx';
import styles from './node-picker.module.css';
import wizard from './wizard.module.css';

interface NodePickerProps {
  offered: UnnamedNodes;
  /** The id in the field. */
  chosen: string;
  onPick: (node: UnnamedNode) => void;
}

/** Nodes that are online and have no name, one of which may be the operator's own. Works without scripts: its buttons send the form. */
export function NodePicker({ offered: { nodes, total }, chosen, onPick }: NodePickerProps) {
  if (nodes.length === 0) return null;
  return (
    <div className={styles.picker}>
      <h2 id="offered">
        {chosen === '' ? 'Or choose an online node without a name' : 'Online nodes without a name'}
      </h2>
      <ul aria-labelledby="offered">
        {nodes.map((node) => (
          <li key={node.id}>
            <button
              name="pick"
              value={node.id}
              aria-pressed={node.id === chosen}
              onClick={(event) => {
                event.preventDefault();
                onPick(node);
              }}
            >
              <code>{node.id}</code>
              {node.label !== node.id && <span>{node.label}</span>}
              <span className={styles.facts}>
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
        <p className={wizard.hint}>
          {count(total - nodes.length)} more: type part of an ID or label to find them.
        </p>
      )}
    </div>
  );
}
