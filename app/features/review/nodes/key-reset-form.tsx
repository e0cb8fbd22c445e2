import type { PinSource } from '@mesh-registry/protocol/values.schema.ts';
import type { FormError } from '#app/lib/form-error.ts';
import { ActionForm, TextField } from '#app/ui/form.tsx';
import { RelativeTime } from '#app/ui/moment.tsx';
import text from '#app/ui/text.module.css';
import { ReasonField } from '../reason-form.tsx';
import styles from './key-reset-form.module.css';

/** The key to which a node's id is pinned. */
export interface PinnedKey {
  nodeId: string;
  key: string;
  source: PinSource;
  pinnedAt: string;
}

interface KeyResetFormProps {
  /** The id to fill in; may be empty. */
  node: string;
  /** Its key; null if it has none. */
  pinned: PinnedKey | null;
  problem: FormError | undefined;
}

/** Ends the pin of a node whose operator has lost the key, or from whom it was stolen. */
export function KeyResetForm({ node, pinned, problem }: KeyResetFormProps) {
  return (
    <div className={styles.parts}>
      <p>
        For a node whose key is lost or stolen. Its ID is then free: the next key that a
        registration proves is pinned. Make sure that the request comes from the node’s operator.
      </p>
      {node !== '' && <Pinned node={node} pinned={pinned} />}
      <ActionForm intent="reset-key" problem={problem} submitLabel="Reset key" look="danger">
        <NodeIdField node={node} />
        <ReasonField />
      </ActionForm>
    </div>
  );
}

function Pinned({ node, pinned }: Pick<KeyResetFormProps, 'node' | 'pinned'>) {
  if (!pinned)
    return (
      <p className={text.notice}>
        <code>{node}</code> has no pinned key.
      </p>
    );
  return (
    <p className={text.notice}>
      <code>{node}</code> was pinned {SOURCE_TEXT[pinned.source]}{' '}
      <RelativeTime at={pinned.pinnedAt} />, to the key <code>{pinned.key}</code>
    </p>
  );
}

const SOURCE_TEXT: Record<PinSource, string> = {
  registration: 'by an accepted registration',
  first_use: 'by its first signed request',
  rotation: 'in place of an earlier key',
};

/** @param node the id to fill in; may be empty */
export const NodeIdField = ({ node }: { node: string }) => (
  <TextField
    label="Node ID"
    name="nodeId"
    pattern="[a-zA-Z0-9_\-]{2,64}"
    title="2–64 characters: a–z, A–Z, 0–9, - and _"
    autoComplete="off"
    autoCapitalize="none"
    spellCheck={false}
    defaultValue={node}
    required
  />
);
