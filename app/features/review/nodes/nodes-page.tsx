import { formErrorOf, type FormError } from '#app/lib/form-error.ts';
import { useFormResult } from '#app/lib/use-form-result.ts';
import { count } from '#app/lib/formatters.ts';
import * as hrefs from '#app/lib/hrefs.ts';
import button from '#app/ui/button.module.css';
import { ActionForm, FormAlert } from '#app/ui/form.tsx';
import { Panel } from '#app/ui/panel.tsx';
import text from '#app/ui/text.module.css';
import { ListCard, ListWithForm } from '../list-card.tsx';
import { ReasonField } from '../reason-form.tsx';
import { ReviewPage } from '../review-page.tsx';
import { KeyResetForm, NodeIdField, type PinnedKey } from './key-reset-form.tsx';
import styles from './nodes-page.module.css';
import { NodesTable, type BlockedNode } from './nodes-table.tsx';
import { RemovalCard, type Removal } from './removal-card.tsx';

export interface LoadedNodes {
  updatedAt: string;
  /** The id to fill in, from a link on another page; may be empty. */
  node: string;
  /** Its key; null if it has none. */
  pinned: PinnedKey | null;
  blocked: BlockedNode[];
  removal: Removal;
}

/** Blocked nodes, the forms that block and unblock one or reset its key, and the one that removes nodes. */
export function NodesPage({ list }: { list: LoadedNodes }) {
  const { node, pinned, blocked, updatedAt, removal } = list;
  const result = useFormResult('');
  const blocking = formErrorOf(result, { intent: 'block' });
  const unblocking = ({ nodeId }: BlockedNode) =>
    formErrorOf(result, { intent: 'unblock', nodeId });
  const resetting = formErrorOf(result, { intent: 'reset-key' });
  const removing = formErrorOf(result, { intent: 'remove' });
  const ofAForm =
    blocking !== undefined ||
    resetting !== undefined ||
    blocked.some(unblocking) ||
    (removing !== undefined && (removal.found?.total ?? 0) > 0);
  return (
    <ReviewPage
      updatedAt={updatedAt}
      title="Nodes"
      intro="The service rejects a blocked node’s heartbeats and announcements and hides the node everywhere. Its names stay active; revoke them separately."
    >
      {!ofAForm && <FormAlert problem={formErrorOf(result)} />}
      <ListWithForm
        form={
          <Panel title="Block a node">
            <BlockForm node={node} problem={blocking} />
          </Panel>
        }
        after={
          <Panel title="Reset a node’s key">
            <KeyResetForm node={node} pinned={pinned} problem={resetting} />
          </Panel>
        }
      >
        <ListCard heading={heading(blocked.length)} unfilteredHref={null}>
          {blocked.length > 0 && (
            <>
              <NodesTable nodes={blocked} problemOf={unblocking} />
              <BansDownload />
            </>
          )}
        </ListCard>
        <RemovalCard removal={removal} problem={removing} />
      </ListWithForm>
    </ReviewPage>
  );
}

const heading = (total: number) =>
  total === 0
    ? 'No blocked nodes'
    : total === 1
      ? '1 blocked node'
      : `${count(total)} blocked nodes`;

/** The blocked nodes as a file, for those who sign the network's truth. */
function BansDownload() {
  return (
    <div className={styles.download}>
      <p className={text.secondary}>
        A block holds for this service. For a ban by every peer of the network, send this list to
        the holders of the network’s keys. It leaves out your reasons, because a ban is public.
      </p>
      <a className={button.button} href={hrefs.review.bansJson()} download>
        Download as proposed bans
      </a>
    </div>
  );
}

/** Blocks a node. @param node the id to fill in */
function BlockForm({ node, problem }: { node: string; problem: FormError | undefined }) {
  return (
    <ActionForm intent="block" problem={problem} submitLabel="Block" look="primary">
      <NodeIdField node={node} />
      <ReasonField />
    </ActionForm>
  );
}
