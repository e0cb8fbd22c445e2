import { Link, useLoaderData } from '@remix-run/react';
import { NEXT_ANNOUNCE_MS, type UnlistedReason } from '#server/computes/values.schema.ts';
import { NEXT_PING_MS, OFFLINE_AFTER_MS } from '#server/mesh/values.schema.ts';
import { CodeBlock } from './code-block.tsx';
import { codeItems, DefinitionList } from './definition-list.tsx';
import { Section } from './section.tsx';
import { span } from '#app/lib/duration.ts';
import {
  announce,
  confirmName,
  curlDelete,
  firstPing,
  followName,
  nameFree,
  pingLoopNode,
  pingLoopSh,
  startName,
} from './examples.ts';
import { useDocs, type DocsPage } from './docs-page.ts';
import type { loadOperatorsPage } from './operators-page.server.ts';

export const operatorsDocs: DocsPage = {
  path: '/docs/operators',
  title: 'For operators',
  intro: 'Put a node on the map, keep it online, announce its compute offers, and register a name.',
  sections: [
    { id: 'before', title: 'Before you start' },
    { id: 'ping', title: 'First heartbeat' },
    { id: 'keep', title: 'Stay online' },
    { id: 'announce', title: 'Announce compute offers' },
    { id: 'register', title: 'Register a name' },
    { id: 'leave', title: 'Remove a node' },
    { id: 'refusals', title: 'Errors and what to do' },
  ],
};

const seconds = (ms: number) => ms / 1000;

export function OperatorsPage() {
  const docs = useDocs();
  const { nameRule, remedies } = useLoaderData<typeof loadOperatorsPage>();
  return (
    <>
      <Section id="before" title="Before you start">
        <ul>
          <li>
            <strong>An ID for the node</strong>: 2–64 letters, digits, <code>_</code> and{' '}
            <code>-</code>. It is public and permanent. The examples use <code>my_node</code>.
          </li>
          <li>
            <strong>Its location</strong>: you report it, and it can be as vague as you like. It is
            rounded to {docs.coordinateGrid} degrees before it is stored. We never locate nodes by
            IP address or DNS.
          </li>
          <li>
            <strong>The network’s secret</strong>:{' '}
            {docs.credentialRequired
              ? 'you get it from the operator of this network. Heartbeats and announcements require it.'
              : docs.credential
                ? 'you get it from the operator of this network. This service also accepts heartbeats without it, but rejects a wrong one.'
                : 'this service has none configured, so heartbeats don’t need one.'}
          </li>
        </ul>
        {docs.credential && (
          <CodeBlock
            caption="The secret used by the commands below"
            code="export WEBHOOK_SECRET='the secret you were given'"
          />
        )}
      </Section>

      <Section id="ping" title="First heartbeat">
        <CodeBlock caption="The first heartbeat" code={firstPing(docs)} />
        <p>
          The response is <code>201</code> with <code>"isNew": true</code>: the node is on{' '}
          <Link to="/">the map</Link>. Later heartbeats return <code>200</code>. Only{' '}
          <code>nodeId</code>, <code>lat</code> and <code>lng</code> are required.
        </p>
        <ul>
          <li>
            A label, class or region that you leave out keeps its value. A missing{' '}
            <code>status</code> means online.
          </li>
          <li>
            Unknown keys are discarded and listed in <code>dropped</code>, as is a label that looks
            like an address.
          </li>
          <li>
            <code>GET /api/mesh/ping</code> describes the same for programs.
          </li>
        </ul>
      </Section>

      <Section id="keep" title="Stay online">
        <p>
          Send a heartbeat every {seconds(NEXT_PING_MS)} seconds; each response says when the next
          one is due (<code>nextPingMs</code>). After {seconds(OFFLINE_AFTER_MS)} seconds without
          one the node shows as offline, until the next one. Before you shut it down, send{' '}
          <code>"status": "offline"</code>.
        </p>
        <CodeBlock caption="heartbeat.sh" code={pingLoopSh(docs)} />
        <CodeBlock caption="heartbeat.mjs" code={pingLoopNode(docs)} />
        <p>
          Both keep retrying through an outage of this service. The second one exits when a
          heartbeat is rejected for a reason that waiting doesn’t fix.
        </p>
      </Section>

      <Section id="announce" title="Announce compute offers">
        <CodeBlock caption="An announcement" code={announce(docs)} />
        <p>
          Send it every {seconds(Math.min(NEXT_ANNOUNCE_MS, docs.computeFreshMs / 2))} seconds (
          <code>nextAnnounceMs</code>), and whenever <code>freeSlots</code> changes. After{' '}
          {seconds(docs.computeFreshMs)} seconds without an announcement, a compute offer is
          offline. Either all offers in an announcement are stored or none; offers that it leaves
          out don’t change. Don’t include connection details: there is no field for them, and an
          address in <code>image</code> is rejected.
        </p>
        {docs.listsActivatedOnly ? (
          <>
            <p>
              A compute offer is listed in <code>GET /api/registry/computes</code> once its name is
              active. Until then it is stored, and its row in the response has{' '}
              <code>"listed": false</code> and a <code>reason</code>:
            </p>
            <DefinitionList items={codeItems(Object.entries(UNLISTED))} />
          </>
        ) : (
          <p>
            This network lists every announced compute offer, whether or not its name is registered.
          </p>
        )}
      </Section>

      <Section id="register" title="Register a name">
        <p>
          A name has {nameRule}. It costs ${docs.feeUsd}, paid with Cash App, and a person reviews
          the payment. No credential is needed. <Link to="/register">Register in the browser</Link>:
          it checks the name as you type, suggests nodes that are online, and shows the progress. Or
          use the REST API:
        </p>
        <CodeBlock caption="Check whether the name is available" code={nameFree(docs)} />
        <CodeBlock caption="Start the registration" code={startName(docs)} />
        <p>
          The response has an <code>id</code>, a <code>paymentNote</code> and a <code>payUrl</code>.
          Keep the ID secret: anyone who has it can view and confirm the registration. The name is
          reserved for {span(docs.holdMs)}. With a random <code>Idempotency-Key</code>, a repeated
          start returns the first response again, for a day, instead of <code>name_taken</code>.
        </p>
        <p>
          Open the <code>payUrl</code>, pay with exactly that note, and report the payment. The
          payment app’s confirmation text is optional, but helps the reviewer.
        </p>
        <CodeBlock caption="Report the payment" code={confirmName(docs)} />
        <CodeBlock caption="Follow the progress" code={followName(docs)} />
        <DefinitionList items={codeItems(Object.entries(STATES))} />
      </Section>

      <Section id="leave" title="Remove a node">
        <p>
          Stop the node, then remove it with its compute offers and its history. This can’t be
          undone. Its names stay in the registry. If you do nothing, a node that is silent for long
          leaves by itself, unless it has an active name.
        </p>
        <CodeBlock
          caption="Remove a node"
          code={curlDelete(docs, '/api/mesh/nodes/my_node', true)}
        />
      </Section>

      <Section id="refusals" title="Errors and what to do">
        <p>
          In an error, <code>error</code> says what happened and <code>issues</code> lists the
          invalid fields. The request has changed nothing. Retry only after <code>429</code>,{' '}
          <code>500</code>, <code>503</code>, or no response at all.
        </p>
        <DefinitionList
          items={remedies.map(({ code, status, remedy }) => ({
            key: code,
            term: (
              <>
                <strong>{status}</strong> <code>{code}</code>
              </>
            ),
            meaning: remedy,
          }))}
        />
      </Section>
    </>
  );
}

const UNLISTED: Record<UnlistedReason, string> = {
  name_not_active:
    'Register the name. The compute offer is listed automatically once a reviewer activates the name.',
  name_owned_by_another_node: 'The name is active for another node. Choose another one.',
  registration_lacks_compute:
    'The name is registered without the kind compute, which can’t be added later. Register another name with it.',
};

const STATES = {
  pending_payment: 'Waiting for your payment. Becomes `rejected` when the reservation expires.',
  pending_review: 'You have reported the payment; a reviewer will check it.',
  active: 'The name is listed in the registry.',
  rejected:
    'Not activated; `rejectionReason` says why. The name is available again. If only the reservation expired and you have paid, you can still confirm, unless someone else has registered the name.',
};
