import { Link, useLoaderData } from '@remix-run/react';
import type { PinSource } from '@mesh-registry/protocol/values.schema.ts';
import { formErrorOf } from '#app/lib/form-error.ts';
import { useFormResult } from '#app/lib/use-form-result.ts';
import { counted } from '#app/lib/formatters.ts';
import * as hrefs from '#app/lib/hrefs.ts';
import button from '#app/ui/button.module.css';
import { DataTable } from '#app/ui/data-table.tsx';
import { ActionForm, FormAlert, TextField } from '#app/ui/form.tsx';
import { RelativeTime } from '#app/ui/moment.tsx';
import { Panel } from '#app/ui/panel.tsx';
import text from '#app/ui/text.module.css';
import { ListCard, ListWithForm } from '../list-card.tsx';
import parts from '../parts.module.css';
import { ReasonField, ReasonForm } from '../row-action.tsx';
import { Since } from '../row-parts.tsx';
import { ReviewPage } from '../review-page.tsx';
import styles from './nodes-page.module.css';
import type { loadNodes } from './nodes-page.server.ts';
import { RemovalCard } from './removal-card.tsx';

type Loaded = ReturnType<typeof useLoaderData<typeof loadNodes>>;

/** Blocked nodes, the forms that block and unblock one or reset its key, and the one that removes nodes. */
export function NodesPage() {
  const { node, pinned, blocked, updatedAt, removal } = useLoaderData<typeof loadNodes>();
  const result = useFormResult('');
  const blocking = formErrorOf(result, { intent: 'block' });
  const unblocking = ({ nodeId }: Loaded['blocked'][number]) =>
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
            <ActionForm intent="block" problem={blocking} submitLabel="Block" look="primary">
              <NodeIdField node={node} />
              <ReasonField />
            </ActionForm>
          </Panel>
        }
        after={
          <Panel title="Reset a node’s key">
            <div className={styles.parts}>
              <p>
                For a node whose key is lost or stolen. Its ID is then free: the next key that a
                registration proves is pinned. Make sure that the request comes from the node’s
                operator.
              </p>
              {node !== '' && <Pinned node={node} pinned={pinned} />}
              <ActionForm
                intent="reset-key"
                problem={resetting}
                submitLabel="Reset key"
                look="danger"
              >
                <NodeIdField node={node} />
                <ReasonField />
              </ActionForm>
            </div>
          </Panel>
        }
      >
        <ListCard
          heading={
            blocked.length === 0 ? 'No blocked nodes' : counted(blocked.length, 'blocked node')
          }
          unfilteredHref={null}
        >
          {blocked.length > 0 && (
            <>
              <DataTable
                inCard
                caption="Blocked nodes"
                rows={blocked}
                id={({ nodeId }) => nodeId}
                columns={[
                  {
                    head: 'Node',
                    kind: 'name',
                    className: parts.roomy,
                    cell: ({ nodeId }) => (
                      <Link to={hrefs.node(nodeId)}>
                        <code>{nodeId}</code>
                      </Link>
                    ),
                  },
                  { head: 'Reason', kind: 'text', cell: ({ reason }) => reason },
                  {
                    head: 'Blocked',
                    kind: 'text',
                    className: parts.roomy,
                    cell: ({ blockedAt, blockedBy }) => <Since at={blockedAt} by={blockedBy} />,
                  },
                  {
                    head: 'Unblock',
                    kind: 'actions',
                    cell: (row) => (
                      <ReasonForm
                        label="Unblock"
                        subject={row.nodeId}
                        intent="unblock"
                        subjectField="nodeId"
                        problem={unblocking(row)}
                      />
                    ),
                  },
                ]}
              />
              <div className={styles.download}>
                <p className={text.secondary}>
                  A block holds for this service. For a ban by every peer of the network, send this
                  list to the holders of the network’s keys. It leaves out your reasons, because a
                  ban is public.
                </p>
                <a className={button.button} href={hrefs.review.bansJson()} download>
                  Download as proposed bans
                </a>
              </div>
            </>
          )}
        </ListCard>
        <RemovalCard removal={removal} problem={removing} />
      </ListWithForm>
    </ReviewPage>
  );
}

/** The key to which the node's id is pinned. */
function Pinned({ node, pinned }: Pick<Loaded, 'node' | 'pinned'>) {
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
  review: 'by a reviewer',
};

/** @param node the id to fill in; may be empty */
const NodeIdField = ({ node }: { node: string }) => (
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
