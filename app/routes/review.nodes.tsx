import {
  redirect,
  type ActionFunctionArgs,
  type LoaderFunctionArgs,
  type MetaFunction,
} from '@remix-run/node';
import { Form, Link, useActionData, useLoaderData, useNavigation } from '@remix-run/react';
import { useEffect, useRef } from 'react';
import { z } from 'zod';
import { NodeId } from '../../server/schemas/fields.ts';
import { parse } from '../../server/schemas/errors.ts';
import { REASON_MAX } from '../../server/schemas/review-reasons.ts';
import { PageMoment } from '../clock.ts';
import { FormField } from '../components/review/form-field.tsx';
import { ReviewPage } from '../components/review/review-page.tsx';
import { When } from '../components/when.tsx';
import { submit, type FormError } from '../form.server.ts';
import { count } from '../format.ts';
import { requireReviewer } from '../review.server.ts';

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

export async function action(args: ActionFunctionArgs) {
  const { email } = await requireReviewer(args);
  return submit(args, async (form) => {
    const { intent, ...input } = parse(BlockForm, Object.fromEntries(form), 'invalid_body');
    await args.context.services.nodes[intent]({ ...input, reviewer: email });
    return redirect('/review/nodes', 303);
  });
}

export const meta: MetaFunction = () => [{ title: 'Blocked nodes · Mesh Registry' }];

export default function Nodes() {
  const { node, blocked, updatedAt } = useLoaderData<typeof loader>();
  const failed = useActionData<typeof action>() as FormError | undefined;
  return (
    <PageMoment.Provider value={Date.parse(updatedAt)}>
      <ReviewPage
        title="Blocked nodes"
        intro="A blocked node’s heartbeats and announces are refused with 403, and map and directory leave it out. What it sent is kept. A name that it holds stays active; revoke it apart from this."
        className="review-nodes"
      >
        <div className="review-columns">
          <section className="card" aria-labelledby="blocked-now">
            <h2 id="blocked-now">Blocked now: {count(blocked.length)}</h2>
            {blocked.length === 0 ? (
              <p className="secondary">No node is blocked.</p>
            ) : (
              <ul className="blocked-list">
                {blocked.map((row) => (
                  <li key={row.id}>
                    <div>
                      <Link to={`/nodes/${encodeURIComponent(row.id)}`}>
                        <code>{row.id}</code>
                      </Link>
                      <p>{row.reason}</p>
                      <p className="secondary">
                        {row.blockedBy}, <When at={row.blockedAt} />
                      </p>
                    </div>
                    <Lift nodeId={row.id} failed={failed} />
                  </li>
                ))}
              </ul>
            )}
          </section>
          <Block node={node} failed={failed?.values['intent'] === 'block' ? failed : undefined} />
        </div>
      </ReviewPage>
    </PageMoment.Provider>
  );
}

function Block({ node, failed }: { node: string; failed: FormError | undefined }) {
  const form = useRef<HTMLFormElement>(null);
  const busy = useNavigation().state === 'submitting';
  // A block that took effect leaves an empty form; one that failed keeps what was typed.
  const wasBusy = useRef(false);
  useEffect(() => {
    if (wasBusy.current && !busy && !failed) form.current?.reset();
    wasBusy.current = busy;
  }, [busy, failed]);
  return (
    <section className="card" aria-labelledby="block-one">
      <h2 id="block-one">Block a node</h2>
      <Form method="post" ref={form} className="stack">
        <input type="hidden" name="intent" value="block" />
        {failed && (
          <p role="alert" className="form-error">
            {failed.error}
          </p>
        )}
        <FormField label="Node id" name="nodeId" failed={failed}>
          {(field) => (
            <input
              {...field}
              required
              pattern="[a-zA-Z0-9_\-]{2,64}"
              title="2 to 64 of a-z A-Z 0-9 _ -"
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
              defaultValue={failed?.values['nodeId'] ?? node}
            />
          )}
        </FormField>
        <FormField label="Why (reviewers see it)" name="reason" failed={failed}>
          {(field) => (
            <textarea
              {...field}
              required
              maxLength={REASON_MAX}
              rows={3}
              defaultValue={failed?.values['reason']}
            />
          )}
        </FormField>
        <button className="button primary" disabled={busy}>
          Block
        </button>
      </Form>
    </section>
  );
}

function Lift({ nodeId, failed }: { nodeId: string; failed: FormError | undefined }) {
  const own =
    failed?.values['intent'] === 'unblock' && failed.values['nodeId'] === nodeId ? failed : null;
  return (
    <details open={own !== null || undefined}>
      <summary className="link">
        Lift the block<span className="visually-hidden"> from {nodeId}</span>
      </summary>
      <Form method="post" className="stack">
        <input type="hidden" name="intent" value="unblock" />
        <input type="hidden" name="nodeId" value={nodeId} />
        {own && (
          <p role="alert" className="form-error">
            {own.error}
          </p>
        )}
        <FormField label={`Why lift it from ${nodeId}`} name="reason" failed={own}>
          {(field) => (
            <input
              {...field}
              required
              maxLength={REASON_MAX}
              defaultValue={own?.values['reason']}
            />
          )}
        </FormField>
        <button className="button">Lift</button>
      </Form>
    </details>
  );
}
