import {
  redirect,
  type ActionFunctionArgs,
  type LoaderFunctionArgs,
  type MetaFunction,
} from '@remix-run/node';
import { Link, useLoaderData } from '@remix-run/react';
import { z } from 'zod';
import { NodeId } from '#server/common/fields.schema.ts';
import { parse } from '#server/common/errors.schema.ts';
import { REASON_MAX } from '#server/common/values.schema.ts';
import { Panel } from '#app/ui/panel.tsx';
import { ActionForm, TextField, FormField, FormAlert } from '#app/ui/form.tsx';
import { formErrorOf } from '#app/lib/form-error.ts';
import { Since } from '#app/features/review/moments.tsx';
import { DataTable } from '#app/ui/data-table.tsx';
import { ReviewPage } from '#app/features/review/review-page.tsx';
import { useFormResult } from '#app/lib/use-form-result.ts';
import { ReasonForm } from '#app/features/review/reason-form.tsx';
import type { FormError } from '#app/lib/form-error.ts';
import { count } from '#app/lib/formatters.ts';
import { requireReviewer, handleReviewForm } from '#app/features/review/review.server.ts';

/** Blocked nodes: block one, lift a block. */
export async function loader(args: LoaderFunctionArgs) {
  await requireReviewer(args);
  const { services } = args.context;
  return {
    updatedAt: new Date().toISOString(),
    /** From a link elsewhere: the node to block. */
    node: new URL(args.request.url).searchParams.get('node') ?? '',
    blocked: services.nodes.blocked().map(({ id, reason, blockedBy, blockedAt }) => ({
      id,
      reason,
      blockedBy,
      blockedAt: blockedAt.toISOString(),
    })),
  };
}

const BlockForm = z.object({
  intent: z.enum(['block', 'unblock'], 'must be block or unblock'),
  nodeId: NodeId,
  reason: z.string('must have 1 to 500 characters'),
});

export function action(args: ActionFunctionArgs) {
  return handleReviewForm(args, async (form, { email }) => {
    const { intent, ...input } = parse(BlockForm, Object.fromEntries(form), 'invalid_body');
    await args.context.services.nodes[intent]({ ...input, reviewer: email });
    return redirect('/review/nodes', 303);
  });
}

type BlockedNode = Awaited<ReturnType<typeof loader>>['blocked'][number];

export {
  offlineAction as clientAction,
  offlineLoader as clientLoader,
} from '#app/lib/stale-while-offline.ts';

export const meta: MetaFunction = () => [{ title: 'Blocked nodes · Mesh Registry' }];

export default function Nodes() {
  const { node, blocked, updatedAt } = useLoaderData<typeof loader>();
  const answer = useFormResult<typeof action>('');
  const problem = formErrorOf(answer);
  const blocking = formErrorOf(answer, { intent: 'block' });
  const lifting = ({ id }: BlockedNode) => formErrorOf(answer, { intent: 'unblock', nodeId: id });
  return (
    <ReviewPage
      updatedAt={updatedAt}
      title="Blocked nodes"
      intro="A blocked node’s heartbeats and announces are refused with 403, and map and directory leave it out. What it sent is kept. A name that it holds stays active; revoke it apart from this."
    >
      {!blocking && !blocked.some(lifting) && <FormAlert problem={problem} />}
      <div className="review-columns">
        <Panel title="Block a node">
          <Block node={node} problem={blocking} />
        </Panel>
        <section className="card" aria-labelledby="blocked-now">
          <h2 id="blocked-now">Blocked now: {count(blocked.length)}</h2>
          {blocked.length === 0 ? (
            <p>No node is blocked.</p>
          ) : (
            <DataTable
              inCard
              caption="Blocked nodes"
              rows={blocked}
              id={({ id }) => id}
              columns={[
                {
                  head: 'Node',
                  kind: 'name',
                  cell: ({ id }) => (
                    <Link to={`/nodes/${encodeURIComponent(id)}`}>
                      <code>{id}</code>
                    </Link>
                  ),
                },
                { head: 'Why', kind: 'text', cell: ({ reason }) => reason },
                {
                  head: 'Since',
                  kind: 'text',
                  cell: ({ blockedAt, blockedBy }) => <Since at={blockedAt} by={blockedBy} />,
                },
                {
                  head: 'Lift',
                  kind: 'actions',
                  cell: (row) => (
                    <ReasonForm
                      label="Lift the block"
                      subject={row.id}
                      intent="unblock"
                      subjectField="nodeId"
                      problem={lifting(row)}
                    />
                  ),
                },
              ]}
            />
          )}
        </section>
      </div>
    </ReviewPage>
  );
}

function Block({ node, problem }: { node: string; problem: FormError | undefined }) {
  return (
    <ActionForm intent="block" problem={problem} submitLabel="Block" look="primary">
      <TextField
        label="Node id"
        name="nodeId"
        pattern="[a-zA-Z0-9_\-]{2,64}"
        title="2 to 64 characters: a-z, A-Z, 0-9, - and _"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        defaultValue={node}
        required
      />
      <FormField label="Why" name="reason" hint="Reviewers see it.">
        {(field) => <textarea {...field} maxLength={REASON_MAX} rows={3} required />}
      </FormField>
    </ActionForm>
  );
}
