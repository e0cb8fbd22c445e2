import type { ReviewedRegistration } from '#server/review/index.ts';
import { Notice } from '#app/ui/notice.tsx';
import { counted } from '#app/lib/formatters.ts';
import { Tick } from '#app/ui/status-icon.tsx';
import text from '#app/ui/text.module.css';
import styles from './node-proof.module.css';

type NodeProofProps = Pick<ReviewedRegistration, 'nodeProved' | 'notices'>;

/** In a row: whether the node's key has proved the registration, and whether there is something to check. */
export function NodeProofMarks({ nodeProved, notices }: NodeProofProps) {
  return (
    <>
      {nodeProved && (
        <span className={styles.proved}>
          <Tick />
          proved by its key
        </span>
      )}
      {notices.length > 0 && (
        <Notice className={styles.mark}>{counted(notices.length, 'notice')}</Notice>
      )}
    </>
  );
}

/** Whether its key has proved it, below the node's id. */
export const NodeProofDetails = ({ nodeProved }: Pick<NodeProofProps, 'nodeProved'>) => (
  <span className={nodeProved ? styles.proved : text.remark}>
    {nodeProved && <Tick />}
    {nodeProved ? 'Proved by the node’s key' : 'Not proved by the node’s key'}
  </span>
);
