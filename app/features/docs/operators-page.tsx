import { Link, useLoaderData } from '@remix-run/react';
import {
  NEXT_ANNOUNCE_MS,
  type UnlistedReason,
  NEXT_PING_MS,
  OFFLINE_AFTER_MS,
} from '@mesh-registry/protocol/values.schema.ts';
import * as hrefs from '#app/lib/hrefs.ts';
import { useNetwork } from '#app/lib/network.tsx';
import { CommandBox, type Way } from '#app/ui/command-box.tsx';
import { Operator } from '#app/ui/operator.tsx';
import { SecretNote } from '#app/ui/secret-note.tsx';
import { DidItArrive } from './did-it-arrive.tsx';
import styles from './operators-page.module.css';
import { CodeBlock, P, Section } from './section.tsx';
import { DefinitionList, ErrorList } from './definition-list.tsx';
import { span } from '#app/lib/formatters.ts';
import {
  AGENT_IN_CONTAINER,
  AGENT_OFFER,
  AGENT_PEER,
  AGENT_REGISTERS,
  AGENT_UNDER_SYSTEMD,
  agentInit,
  agentOnTheMap,
  agentSession,
  announce,
  confirmName,
  firstPing,
  followName,
  nameFree,
  startName,
} from './examples.ts';
import { curlDelete, shortestPing } from './curl.ts';
import { useDocs } from './docs-layout.tsx';
import type { DocsPage } from './docs-page.ts';
import type { loadOperators } from './docs-pages.server.ts';

export const operatorsDocs: DocsPage = {
  path: hrefs.docs.operators(),
  title: 'On the map in one line',
  intro:
    'Run this on the machine that will be your node: it is on the map at once. Then keep it online, announce its compute offers, and register a name.',
  sections: [
    { id: 'agent', title: 'The first heartbeat' },
    { id: 'before', title: 'What it asks for' },
    { id: 'systemd', title: 'Keep it online: systemd' },
    { id: 'container', title: 'Keep it online: container' },
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
  const { settings } = useNetwork();
  const { nameRule, remedies } = useLoaderData<typeof loadOperators>();
  return (
    <>
      <Section id="agent" title="The first heartbeat">
        {docs.credential && (
          <>
            <SecretNote prominent />
            <CodeBlock
              caption="The secret used by the commands below"
              code="export WEBHOOK_SECRET=the-secret-you-were-given"
            />
          </>
        )}
        <CommandBox label="Ways to send heartbeats" ways={waysOf(docs)} />
        <pre
          className={styles.sample}
          tabIndex={0}
          role="group"
          aria-label="A session with mesh-agent"
          data-language="text"
        >
          <code>{agentSession(docs)}</code>
        </pre>
        <DidItArrive />
        <P>
          mesh-agent is one file for Linux and macOS that needs only Node.js 20.19 or later. Ask{' '}
          <Operator /> for its package and install it with `npm install --global
          ./mesh-agent-*.tgz`, or make it from the source of this service: `npm run build:agent &&
          npm pack ./build/agent`.
        </P>
        <p>
          It signs every request, so that once its ID is{' '}
          <Link to={hrefs.docs.identity()}>pinned</Link> nobody else can speak for your node. It
          survives outages, a wrong clock and a sleeping laptop: it reports each problem once, keeps
          trying, and says when it is over.
        </p>
        <CodeBlock caption="With mesh-agent" language="agent" code={agentOnTheMap(docs)} />
        <P>
          `init` asks for an ID, a location{docs.credential && ' and the secret'}, and makes a key
          that only your node has. `doctor` checks everything without storing anything, and says
          what to do. `run` keeps the node on <Link to={hrefs.map()}>the map</Link> until Ctrl-C; in
          another terminal, `mesh-agent status` shows what it did last.
        </P>
      </Section>

      <Section id="before" title="What it asks for">
        <ul>
          <P as="li">
            <strong>An ID for the node</strong>: 2–64 letters, digits, `_` and `-`. It is public and
            permanent. The examples use `my_node`.
          </P>
          <li>
            <strong>Its location</strong>: you report it, and it can be as vague as you like. It is
            rounded to {docs.coordinateGrid} degrees before it is stored. We never locate nodes by
            IP address or DNS.
          </li>
          <li>
            <strong>The network’s secret</strong>:{' '}
            {docs.credential ? (
              <>
                ask <Operator /> for it.{' '}
                {docs.credentialRequired
                  ? 'Heartbeats and announcements require it.'
                  : 'This service also accepts heartbeats without it, but rejects a wrong one.'}
              </>
            ) : (
              'this service has none configured, so heartbeats don’t need one.'
            )}
          </li>
        </ul>
      </Section>

      <Section id="systemd" title="Keep it online: systemd">
        <P>
          Run `init` as root, which writes to `/etc/mesh-agent`. The unit runs under a user of its
          own that can read nothing but the program, the key and the secret.
        </P>
        <CodeBlock
          caption="As a service that starts with the machine"
          language="agent"
          code={AGENT_UNDER_SYSTEMD}
        />
        <P>
          `journalctl -u mesh-agent` shows its log. After a change to the configuration, `systemctl
          reload mesh-agent`.
        </P>
      </Section>

      <Section id="container" title="Keep it online: container">
        <p>
          With Docker or Podman: this prints a Containerfile and a compose service, with the paths
          of your configuration filled in.
        </p>
        <CodeBlock caption="As a container" language="agent" code={AGENT_IN_CONTAINER} />
      </Section>

      <Section id="curl" title="Without the agent">
        <p>Everything the agent sends is plain HTTP. A heartbeat with curl:</p>
        <SecretNote />
        <CodeBlock caption="The first heartbeat" code={firstPing(docs)} />
        <P>
          The response is `201` with `"isNew": true`: the node is on{' '}
          <Link to={hrefs.map()}>the map</Link>. Later heartbeats return `200`. Only `nodeId`, `lat`
          and `lng` are required.
        </P>
        <ul>
          <P as="li">
            Send the next one after {seconds(NEXT_PING_MS)} seconds; each response says when
            (`nextPingMs`). After {seconds(OFFLINE_AFTER_MS)} seconds without one the node shows as
            offline, until the next one.
          </P>
          <P as="li">Before you shut it down, send `"status": "offline"`.</P>
          <P as="li">
            A label, class or region that you leave out keeps its value. A missing `status` means
            online. A node that never sent a region has the continent of its rounded location.
          </P>
          <P as="li">
            Unknown keys are discarded and listed in `dropped`, as is a label that looks like an
            address or like “Genesis”.
          </P>
          <P as="li">`GET /api/mesh/ping` describes the same for programs.</P>
        </ul>
      </Section>

      <Section id="announce" title="Announce compute offers">
        <P>
          In the agent’s configuration, each offer is a table. The agent announces them from the
          next `systemctl reload mesh-agent`, or the next start.
        </P>
        <CodeBlock caption="A compute offer in config.toml" language="toml" code={AGENT_OFFER} />
        <p>The same with curl:</p>
        <SecretNote />
        <CodeBlock caption="An announcement" code={announce(docs)} />
        <P>
          Send it every {seconds(Math.min(NEXT_ANNOUNCE_MS, docs.computeFreshMs / 2))} seconds
          (`nextAnnounceMs`), and whenever `freeSlots` changes. After {seconds(docs.computeFreshMs)}{' '}
          seconds without an announcement, a compute offer is offline. An announcement is stored as
          a whole or not at all; offers that it leaves out don’t change. Don’t include connection
          details: there is no field for them, and an address in `image` is rejected.
        </P>
        {docs.listsActivatedOnly ? (
          <>
            <P>
              A compute offer is listed in `GET /api/registry/computes` once its name is active.
              Until then it is stored, and its row in the response has `"listed": false` and a
              `reason`:
            </P>
            <DefinitionList items={UNLISTED} code />
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
        <CodeBlock caption="With mesh-agent, on the node" language="agent" code={AGENT_REGISTERS} />
        <P>
          It prints the payment link and note, with a QR code. The registration is proved by your
          node’s key: reviewers see that it is yours, and `mesh-agent register --list` finds it
          again. Or <Link to={hrefs.register()}>register in the browser</Link>, which checks the
          name as you type and shows the progress. Or use the REST API:
        </P>
        <CodeBlock caption="Check whether the name is available" code={nameFree(docs)} />
        <CodeBlock caption="Start the registration" code={startName(docs)} />
        <P>
          The response has an `id`, a `paymentNote`, a `payUrl` and a `pageUrl`: the page that shows
          the progress. Keep the ID and that address secret: anyone who has one of them can view and
          confirm the registration. The name is reserved for {span(docs.holdMs)}. Sent again with
          the same `Idempotency-Key`, the start returns the first response for a day, instead of
          `name_taken`.
        </P>
        <P>
          Open the `payUrl`, pay with exactly that note, and report the payment. The payment app’s
          confirmation text is optional, but helps the reviewer.
        </P>
        <CodeBlock caption="Report the payment" code={confirmName(docs)} />
        <CodeBlock caption="Follow the progress" code={followName(docs)} />
        <DefinitionList items={STATES} code />
      </Section>

      <Section id="peer" title="Connect to other nodes">
        <P>
          A node can also connect to the others, without this service: `mesh-agent peer` measures
          how far they are, passes on what the holders of the network’s keys have signed, and keeps
          a copy of the public log. It is separate from the map: other nodes don’t learn where yours
          is, and this service doesn’t learn its peer ID.
        </P>
        <CodeBlock caption="The peer process in config.toml" language="toml" code={AGENT_PEER} />
        <P>
          Get the root and the address from an operator whom you trust.{' '}
          {settings && (
            <>
              <Link to={hrefs.network()}>The network</Link> shows the root’s fingerprint, who has
              signed it, and who is banned.{' '}
            </>
          )}
          Then run `mesh-agent peer`, and open its port, 9900, to others if you can; `mesh-agent
          service systemd --peer` prints a unit for it.
        </P>
      </Section>

      <Section id="leave" title="Remove a node">
        <p>
          Stop the node, then remove it with its compute offers and its history. Its names stay in
          the registry. Signed by the node’s key, that takes effect at once and can’t be undone. A
          node without a pinned key is hidden at once and removed after 24 hours, because everyone
          in the network knows the secret: a heartbeat before then restores it. If you do nothing, a
          node that stays silent is removed automatically, unless it has an active name.
        </p>
        <SecretNote />
        <CodeBlock
          caption="Remove a node"
          code={curlDelete(docs, '/api/mesh/nodes/my_node', true)}
        />
      </Section>

      <Section id="refusals" title="Errors and what to do">
        <P>
          In an error, `error` says what happened and `issues` lists the invalid fields. The request
          has changed nothing. Retry only after `429`, `500`, `503`, or no response at all.
        </P>
        <ErrorList errors={remedies} />
      </Section>
    </>
  );
}

function waysOf(docs: ReturnType<typeof useDocs>): [Way, ...Way[]] {
  return [
    {
      key: 'curl',
      name: 'curl',
      label: 'The shortest heartbeat',
      code: shortestPing(docs),
      facts: [
        { title: 'What it does', text: 'Sends one heartbeat: the node is online for a minute' },
        { title: 'What it needs', text: 'Any machine with curl' },
        {
          title: 'What to change',
          text: `ID, latitude and longitude${docs.credential ? ', and the network’s secret' : ''}`,
        },
      ],
    },
    {
      key: 'agent',
      name: 'mesh-agent',
      label: 'The set-up of mesh-agent',
      language: 'agent',
      code: agentInit(docs),
      facts: [
        {
          title: 'What it does',
          text: 'Makes a key and a configuration; mesh-agent run does the rest',
        },
        { title: 'What it needs', text: 'Linux or macOS with Node.js 20.19 or later' },
        {
          title: 'What it asks',
          text: `ID, location and class${docs.credential ? ', and the network’s secret' : ''}`,
        },
      ],
    },
  ];
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
