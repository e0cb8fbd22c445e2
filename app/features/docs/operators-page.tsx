import { Link, useLoaderData } from '@remix-run/react';
import {
  NEXT_ANNOUNCE_MS,
  type UnlistedReason,
  NEXT_PING_MS,
  OFFLINE_AFTER_MS,
} from '@mesh-registry/protocol/values.schema.ts';
import * as hrefs from '#app/lib/hrefs.ts';
import { CodeBlock, Section } from './section.tsx';
import { codeItems, DefinitionList } from './definition-list.tsx';
import { span } from '#app/lib/formatters.ts';
import {
  AGENT_IN_CONTAINER,
  AGENT_OFFER,
  AGENT_PEER,
  AGENT_REGISTERS,
  AGENT_UNDER_SYSTEMD,
  agentOnTheMap,
  announce,
  confirmName,
  curlDelete,
  firstPing,
  followName,
  nameFree,
  startName,
} from './examples.ts';
import { useDocs, type DocsPage } from './docs-page.ts';
import type { loadOperators } from './docs-pages.server.ts';

export const operatorsDocs: DocsPage = {
  path: hrefs.docs.operators(),
  title: 'For operators',
  intro: 'Put a node on the map, keep it online, announce its compute offers, and register a name.',
  sections: [
    { id: 'agent', title: 'On the map in three lines' },
    { id: 'before', title: 'What it asks for' },
    { id: 'systemd', title: 'Stay online: systemd' },
    { id: 'container', title: 'Stay online: container' },
    { id: 'curl', title: 'Without the agent' },
    { id: 'announce', title: 'Announce compute offers' },
    { id: 'register', title: 'Register a name' },
    { id: 'peer', title: 'Connect to other nodes' },
    { id: 'leave', title: 'Remove a node' },
    { id: 'refusals', title: 'Errors and what to do' },
  ],
};

const seconds = (ms: number) => ms / 1000;

export function OperatorsPage() {
  const docs = useDocs();
  const { nameRule, remedies } = useLoaderData<typeof loadOperators>();
  return (
    <>
      <Section id="agent" title="On the map in three lines">
        <CodeBlock caption="With mesh-agent" code={agentOnTheMap(docs)} />
        <p>
          <code>init</code> asks for an ID, a location{docs.credential && ' and the secret'}, and
          makes a key that only your node has. <code>doctor</code> checks everything without storing
          anything, and says what to do. <code>run</code> keeps the node on{' '}
          <Link to={hrefs.map()}>the map</Link> until Ctrl-C; in another terminal,{' '}
          <code>mesh-agent status</code> shows what it did last.
        </p>
        <p>
          mesh-agent is one file for Linux and macOS that needs nothing but Node.js 20.19 or later.
          Ask the operator of this network for its package and install it with{' '}
          <code>npm install --global ./mesh-agent-*.tgz</code>, or make it from the source of this
          service: <code>npm run build:agent && npm pack ./build/agent</code>.
        </p>
        <p>
          It signs every request, so that once its ID is{' '}
          <Link to={hrefs.docs.identity()}>pinned</Link> nobody else can speak for your node. It
          outlasts outages, a wrong clock, and a laptop that sleeps: it reports each problem once,
          keeps trying, and says when it is over.
        </p>
      </Section>

      <Section id="before" title="What it asks for">
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
      </Section>

      <Section id="systemd" title="Stay online: systemd">
        <p>
          Run <code>init</code> as root, which writes to <code>/etc/mesh-agent</code>. The unit runs
          under a user of its own that can read nothing but the program, the key and the secret.
        </p>
        <CodeBlock caption="As a service that starts with the machine" code={AGENT_UNDER_SYSTEMD} />
        <p>
          <code>journalctl -u mesh-agent</code> shows what it says. After a change to the
          configuration, <code>systemctl reload mesh-agent</code>.
        </p>
      </Section>

      <Section id="container" title="Stay online: container">
        <p>
          With Docker or Podman: this prints a Containerfile and a piece for compose, with the paths
          of your configuration filled in.
        </p>
        <CodeBlock caption="As a container" code={AGENT_IN_CONTAINER} />
      </Section>

      <Section id="curl" title="Without the agent">
        <p>Everything the agent sends is plain HTTP. A heartbeat with curl:</p>
        {docs.credential && (
          <CodeBlock
            caption="The secret used by the commands below"
            code="export WEBHOOK_SECRET='the secret you were given'"
          />
        )}
        <CodeBlock caption="The first heartbeat" code={firstPing(docs)} />
        <p>
          The response is <code>201</code> with <code>"isNew": true</code>: the node is on{' '}
          <Link to={hrefs.map()}>the map</Link>. Later heartbeats return <code>200</code>. Only{' '}
          <code>nodeId</code>, <code>lat</code> and <code>lng</code> are required.
        </p>
        <ul>
          <li>
            Send the next one after {seconds(NEXT_PING_MS)} seconds; each response says when (
            <code>nextPingMs</code>). After {seconds(OFFLINE_AFTER_MS)} seconds without one the node
            shows as offline, until the next one.
          </li>
          <li>
            Before you shut it down, send <code>"status": "offline"</code>.
          </li>
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

      <Section id="announce" title="Announce compute offers">
        <p>
          In the agent’s configuration, each offer is a table. The agent announces them from the
          next <code>systemctl reload mesh-agent</code>, or the next start.
        </p>
        <CodeBlock caption="A compute offer in config.toml" code={AGENT_OFFER} />
        <p>The same with curl:</p>
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
          the payment. No credential is needed.
        </p>
        <CodeBlock caption="With mesh-agent, on the node" code={AGENT_REGISTERS} />
        <p>
          It prints the payment link and note, with a QR code. The registration is proved by your
          node’s key: reviewers see that it is yours, and <code>mesh-agent register --list</code>{' '}
          finds it again. Or <Link to={hrefs.register()}>register in the browser</Link>, which
          checks the name as you type and shows the progress. Or use the REST API:
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

      <Section id="peer" title="Connect to other nodes">
        <p>
          A node can also connect to the others, without this service: <code>mesh-agent peer</code>{' '}
          measures how far they are, passes on what the holders of the network’s keys have signed,
          and keeps a copy of the public log. It is separate from the map: other nodes don’t learn
          where yours is, and this service doesn’t learn its peer ID.
        </p>
        <CodeBlock caption="The peer process in config.toml" code={AGENT_PEER} />
        <p>
          Get the root and the address from an operator whom you trust.{' '}
          <Link to={hrefs.network()}>The network</Link> shows the root’s fingerprint, who has signed
          it, and who is banned. Then run <code>mesh-agent peer</code>, and open its port, 9900, to
          others if you can; <code>mesh-agent service systemd --peer</code> prints a unit for it.
        </p>
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
