import { Form, Link, useLoaderData } from '@remix-run/react';
import { useCallback, useMemo } from 'react';
import { MATCH_MAX } from '#server/nodes/removal.schema.ts';
import { formErrorOf } from '#app/lib/form-error.ts';
import { useFormResult } from '#app/lib/use-form-result.ts';
import { counted } from '#app/lib/formatters.ts';
import * as hrefs from '#app/lib/hrefs.ts';
import button from '#app/ui/button.module.css';
import { DataTable, type Column } from '#app/ui/data-table.tsx';
import { ActionForm, FormAlert, LabelledControl, TextField } from '#app/ui/form.tsx';
import { Panel } from '#app/ui/panel.tsx';
import text from '#app/ui/text.module.css';
import { ListCard, ListWithForm } from '../list-card.tsx';
import parts from '../parts.module.css';
import { ReasonField, ReasonForm } from '../row-action.tsx';
import { Since } from '../row-parts.tsx';
import { ReviewPage } from '../review-page.tsx';
import styles from './nodes-page.module.css';
import type { loadNodes } from './nodes-page.server.ts';
import { NodeKeysCard } from './node-keys-card.tsx';
import { RemovalCard } from './removal-card.tsx';

type Loaded = ReturnType<typeof useLoaderData<typeof loadNodes>>;

/** Blocked nodes, the keys of one, the forms that change both, and the one that removes nodes. */
export function NodesPage() {
  const { node, keys, blocked, updatedAt, removal } = useLoaderData<typeof loadNodes>();
  const result = useFormResult('');
  const blocking = formErrorOf(result, { intent: 'block' });
  const columns = useMemo(() => columnsFor(result), [result]);
  const resetting = formErrorOf(result, { intent: 'reset-key' });
  const removing = formErrorOf(result, { intent: 'remove' });
  const ofKey = useCallback(
    (intent: string, key: string) => formErrorOf(result, { intent, key }),
    [result],
  );
  const ofAForm =
    blocking !== undefined ||
    resetting !== undefined ||
    (keys?.proving ?? []).some(({ key }) => ofKey('pin-key', key) ?? ofKey('revoke-key', key)) ||
    blocked.some((row) => unblocking(result, row) !== undefined) ||
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
                For a node whose key is lost or stolen. The pinned key and those it has replaced are
                revoked permanently. The registrations it has proved get new links, which you see
                afterwards. Make sure that the request comes from the node’s operator.
              </p>
              <ActionForm
                intent="reset-key"
                problem={resetting}
                submitLabel="Reset key"
                look="danger"
              >
                <NodeIdField node={node} />
                <ReasonField />
              </ActionForm>
              <Form action={hrefs.review.nodes()} role="search" className={styles.lookup}>
                <LabelledControl
                  label="Keys of a node"
                  name="node"
                  hint="Node ID"
                  defaultValue={node}
                >
                  {(control) => (
                    <input
                      {...control}
                      maxLength={MATCH_MAX}
                      autoComplete="off"
                      autoCapitalize="none"
                      required
                    />
                  )}
                </LabelledControl>
                <button className={button.button}>Show keys</button>
              </Form>
            </div>
          </Panel>
        }
      >
        {keys && <NodeKeysCard node={node} keys={keys} problemOf={ofKey} />}
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
                columns={columns}
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

type Result = Parameters<typeof formErrorOf>[0];
type Blocked = Loaded['blocked'][number];

/** What is wrong with the form that unblocks the node. */
const unblocking = (result: Result, { nodeId }: Blocked) =>
  formErrorOf(result, { intent: 'unblock', nodeId });

const columnsFor = (result: Result): Column<Blocked>[] => [
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
        problem={unblocking(result, row)}
      />
    ),
  },
];

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
