import type { MetaFunction } from '@remix-run/node';
import { Link, useLoaderData } from '@remix-run/react';
import { ERROR_STATUS } from '#server/common/errors.schema.ts';
import { NAME_RULE } from '#server/common/fields.schema.ts';
import { NEXT_ANNOUNCE_MS, type UnlistedReason } from '#server/computes/values.schema.ts';
import { NEXT_PING_MS, OFFLINE_AFTER_MS } from '#server/mesh/values.schema.ts';
import { CodeBlock } from '#app/features/docs/code-block.tsx';
import { Marked, Section } from '#app/features/docs/section.tsx';
import { span } from '#app/lib/duration.ts';
import {
  announce,
  confirmName,
  firstPing,
  followName,
  nameFree,
  pingLoopNode,
  pingLoopSh,
  startName,
} from '#app/features/docs/examples.ts';
import { docsMeta, useDocs, type DocsPage } from '#app/features/docs/page.ts';
import { REFUSALS } from '#app/features/docs/refusals.ts';
import styles from '#app/features/docs/docs.module.css';

export const handle: DocsPage = {
  path: '/docs/operators',
  title: 'For operators',
  intro: 'Put a node on the map, keep it there, announce what it computes, and give it a name.',
  sections: [
    { id: 'before', title: 'Before you start' },
    { id: 'ping', title: 'First heartbeat' },
    { id: 'keep', title: 'Keep it up' },
    { id: 'announce', title: 'Announce computes' },
    { id: 'register', title: 'Register a name' },
    { id: 'refusals', title: 'Refusals' },
  ],
};

/** From here, not from the schemas themselves: a page need not load what parses requests. */
export const loader = () => ({
  nameRule: NAME_RULE,
  refusals: Object.entries(REFUSALS).map(([code, todo]) => ({
    code,
    status: ERROR_STATUS[code as keyof typeof REFUSALS],
    todo,
  })),
});

export const meta: MetaFunction = ({ matches }) => docsMeta(handle, matches);

const seconds = (ms: number) => ms / 1000;

export default function Operators() {
  const docs = useDocs();
  const { nameRule, refusals } = useLoaderData<typeof loader>();
  return (
    <>
      <Section id="before" title="Before you start">
        <ul>
          <li>
            <strong>An id for the node</strong>: 2 to 64 letters, digits, <code>_</code> and{' '}
            <code>-</code>. It is public, and it stays. The examples use <code>my_node</code>.
          </li>
          <li>
            <strong>Where it lies on the map</strong>: you say it, and it may be as vague as you
            like. It is rounded to {docs.coordinateGrid} degrees before anything stores it. Nobody
            is located by an IP address or by DNS: without your word there is no place.
          </li>
          <li>
            <strong>The network’s secret</strong>:{' '}
            {docs.credentialRequired
              ? 'whoever runs the network gives it to you. Heartbeats and announces need it.'
              : docs.credential
                ? 'whoever runs the network gives it to you. This service also takes heartbeats without one, but refuses a wrong one.'
                : 'this service has none configured, so heartbeats go without.'}
          </li>
        </ul>
        {docs.credential && (
          <CodeBlock
            caption="The secret, for the commands below"
            code="export WEBHOOK_SECRET='the secret that you were given'"
          />
        )}
      </Section>

      <Section id="ping" title="First heartbeat">
        <CodeBlock caption="The first heartbeat" code={firstPing(docs)} />
        <p>
          The first one is answered with <code>201</code> and <code>"isNew": true</code>: the node
          is on <Link to="/">the map</Link>. Each later one gets <code>200</code>. Only{' '}
          <code>nodeId</code>, <code>lat</code> and <code>lng</code> are needed.
        </p>
        <ul>
          <li>
            What you leave out stays as you said it before: label, class, region. A left-out{' '}
            <code>status</code> means online.
          </li>
          <li>
            What is not asked for is thrown away, and named in <code>dropped</code>. So is a label
            that looks like an address.
          </li>
          <li>
            <code>GET /api/mesh/ping</code> says the same for programs.
          </li>
        </ul>
      </Section>

      <Section id="keep" title="Keep it up">
        <p>
          Send a heartbeat every {seconds(NEXT_PING_MS)} seconds; each answer says when the next is
          due (<code>nextPingMs</code>). After {seconds(OFFLINE_AFTER_MS)} seconds without one the
          node shows as offline, and with the next one it is back. Before you switch it off, send{' '}
          <code>"status": "offline"</code>.
        </p>
        <CodeBlock caption="heartbeat.sh" code={pingLoopSh(docs)} />
        <CodeBlock caption="heartbeat.mjs" code={pingLoopNode(docs)} />
        <p>
          Either goes on through an outage of this service. The second one ends when a heartbeat is
          refused in a way that waiting does not mend.
        </p>
      </Section>

      <Section id="announce" title="Announce computes">
        <CodeBlock caption="An announce" code={announce(docs)} />
        <p>
          Send it every {seconds(Math.min(NEXT_ANNOUNCE_MS, docs.computeFreshMs / 2))} seconds (
          <code>nextAnnounceMs</code>), and at once when <code>freeSlots</code> changes. After{' '}
          {seconds(docs.computeFreshMs)} seconds without an announce a compute is offline. All rows
          of an announce are stored, or none; rows that it leaves out are not touched. Never say how
          to reach a compute: there is no field for it, and an address in <code>image</code> is
          refused.
        </p>
        {docs.listsActivatedOnly ? (
          <>
            <p>
              A compute is in <code>GET /api/registry/computes</code> once its name is active. Until
              then it is stored, and its row in the answer has <code>"listed": false</code> and a{' '}
              <code>reason</code>:
            </p>
            <dl className={styles.fields}>
              {Object.entries(UNLISTED).map(([reason, what]) => (
                <div key={reason}>
                  <dt>
                    <code>{reason}</code>
                  </dt>
                  <dd>{what}</dd>
                </div>
              ))}
            </dl>
          </>
        ) : (
          <p>This network lists every announced compute, whether or not its name is registered.</p>
        )}
      </Section>

      <Section id="register" title="Register a name">
        <p>
          A name has {nameRule}. It costs ${docs.feeUsd}, paid with Cash App, and a person reviews
          the payment. No credential is needed. <Link to="/register">Register in the browser</Link>:
          it checks the name while you type, offers the nodes that ping now, and shows where the
          registration stands. Or do the same over REST:
        </p>
        <CodeBlock caption="Is the name free" code={nameFree(docs)} />
        <CodeBlock caption="Start" code={startName(docs)} />
        <p>
          The answer has an <code>id</code>, a <code>paymentNote</code> and a <code>payUrl</code>.
          Keep the id to yourself: whoever has it can see and confirm the registration. The name is
          held for {span(docs.holdMs)}. Make a random <code>Idempotency-Key</code> of your own: then
          a repeated start gives the first answer again, for a day, instead of{' '}
          <code>name_taken</code>.
        </p>
        <p>
          Open the <code>payUrl</code>, pay with exactly that note, and say that you have paid. The
          text of the payment app’s confirmation helps the reviewer; you may leave it out.
        </p>
        <CodeBlock caption="Confirm" code={confirmName(docs)} />
        <CodeBlock caption="Follow" code={followName(docs)} />
        <dl className={styles.fields}>
          {Object.entries(STATES).map(([status, what]) => (
            <div key={status}>
              <dt>
                <code>{status}</code>
              </dt>
              <dd>
                <Marked text={what} />
              </dd>
            </div>
          ))}
        </dl>
      </Section>

      <Section id="refusals" title="Refusals">
        <p>
          A refusal says in <code>error</code> what happened, and in <code>issues</code> which
          fields are at fault. The request has then changed nothing. Repeat one only after{' '}
          <code>429</code>, <code>500</code>, <code>503</code>, or no answer at all.
        </p>
        <dl className={styles.fields}>
          {refusals.map(({ code, status, todo }) => (
            <div key={code}>
              <dt>
                <span className={styles.httpStatus}>{status}</span> <code>{code}</code>
              </dt>
              <dd>
                <Marked text={todo} />
              </dd>
            </div>
          ))}
        </dl>
      </Section>
    </>
  );
}

const UNLISTED: Record<UnlistedReason, string> = {
  name_not_active: 'Register the name. The row appears by itself when a reviewer activates it.',
  name_owned_by_another_node: 'The name is active for another node. Choose another one.',
  registration_lacks_compute:
    'The name is registered without the kind compute. That cannot be added later: register another name with it.',
};

const STATES = {
  pending_payment: 'Waiting for your payment. When the hold ends it becomes `rejected`.',
  pending_review: 'You say that you have paid; a reviewer looks for the payment.',
  active: 'The name is in the registry.',
  rejected:
    'Not activated: `rejectionReason` says why. The name is free again. If only the time had run out and you did pay, confirm still: it works while nobody else holds the name.',
};
