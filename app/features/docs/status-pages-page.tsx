import { OFFLINE_AFTER_MS } from '@mesh-registry/protocol/values.schema.ts';
import * as hrefs from '#app/lib/hrefs.ts';
import { CodeBlock, P, Section } from './section.tsx';
import { DefinitionList } from './definition-list.tsx';
import { pollNode, pollSh, streamBrowser, streamSh } from './examples.ts';
import { useDocs } from './docs-layout.tsx';
import type { DocsPage } from './docs-page.ts';
import facts from '#app/ui/facts.module.css';

export const statusPagesDocs: DocsPage = {
  path: hrefs.docs.statusPages(),
  title: 'For status pages',
  intro: 'Show the network on your own site: poll it, or follow its event stream.',
  sections: [
    { id: 'which', title: 'Poll or stream' },
    { id: 'poll', title: 'Polling with ETags' },
    { id: 'stale', title: 'Stale responses' },
    { id: 'trouble', title: 'Failures' },
    { id: 'stream', title: 'Event stream' },
    { id: 'events', title: 'Events' },
    { id: 'resume', title: 'Resuming' },
  ],
};

export function StatusPagesPage() {
  const docs = useDocs();
  const { origin } = docs;
  return (
    <>
      <Section id="which" title="Poll or stream">
        <P>
          `GET {origin}/api/mesh` returns everything at once: totals in `stats`, the bootstrap peer
          in `genesis`, every node in `peers`. Poll it every 10 seconds or less often. If seconds
          matter, use the event stream instead. `GET {origin}/api/registry/computes` and its stream
          work the same way. Any page or program can read both, without a credential.
        </P>
        <P>
          All states and totals of a response belong to the same moment. Use `status` as it is,
          rather than deriving it from `lastSeen`. A node without heartbeats becomes offline after{' '}
          {OFFLINE_AFTER_MS / 1000} seconds.
        </P>
      </Section>

      <Section id="poll" title="Polling with ETags">
        <P>
          Every response has an `ETag`. Send it back unchanged in `If-None-Match`, with its quotes
          and `W/`: while nothing has changed you get `304` without a body. Accept gzip or brotli. A
          browser’s `fetch` does this automatically.
        </P>
        <CodeBlock caption="A request, and the same with its ETag" code={pollSh(docs)} />
        <CodeBlock caption="poll.mjs" language="js" code={pollNode(docs)} />
      </Section>

      <Section id="stale" title="Stale responses">
        <P>
          While its database is unavailable, the service keeps answering from memory with `200`, and
          `updatedAt` stays at the last time known to be current. Whenever you get a `200`, compare
          it with the `Date` header: if they are more than 1.5 seconds apart, the data is stale.
          Show “as of” with that time, also for each `304` that follows; once the database is back
          the next response is a `200` again. Meanwhile heartbeats can’t be accepted, so nodes turn
          offline one by one, which says nothing about the nodes.
        </P>
      </Section>

      <Section id="trouble" title="Failures">
        <DefinitionList items={TROUBLE} />
      </Section>

      <Section id="stream" title="Event stream">
        <P>
          The stream sends server-sent events over one long `GET`: first the whole list, then
          changes, at most once a second.
        </P>
        <dl className={facts.facts}>
          <dt>Nodes</dt>
          <dd>
            <code>{origin}/api/trpc/mesh.changes</code>
          </dd>
          <dt>Compute offers</dt>
          <dd>
            <code>{origin}/api/trpc/computes.changes</code>
          </dd>
          <dt>Input</dt>
          <dd>
            None, or <code>?input=</code> and the percent-encoded JSON{' '}
            <code>{'{"lastEventId":"…"}'}</code>.
          </dd>
        </dl>
        <CodeBlock caption="In a browser" language="js" code={streamBrowser(docs)} />
        <CodeBlock caption="On a command line: the first event" code={streamSh(docs)} />
        <P>Proxies must not buffer or compress `text/event-stream`.</P>
      </Section>

      <Section id="events" title="Events">
        <DefinitionList items={EVENTS} />
        <P>The `data` of an unnamed event is one JSON object:</P>
        <DefinitionList items={DATA} code />
      </Section>

      <Section id="resume" title="Resuming">
        <P>
          The `id` of an event is an opaque position in the list’s history: keep the last one. An
          `EventSource` that loses its connection reconnects automatically and sends that id in
          `Last-Event-ID`; a new one takes it in the input, as in the example. The next event then
          has every row that has changed since, however long the interruption. Rows are complete:
          replace the row with the same `id`.
        </P>
        <P>
          With no id, or one from another or a restarted server process, the stream starts with a
          `snapshot`. Discard what you had.
        </P>
      </Section>
    </>
  );
}

const TROUBLE = {
  '`429`':
    'Reads aren’t limited here, but a proxy may limit them. Wait for the seconds in `Retry-After`, or 30.',
  '`502`, `503`, `504`':
    'The service is restarting, or a proxy can’t reach it. Keep showing what you have, with its time, and wait for `Retry-After`, or 30 seconds.',
  '`500`':
    'An error on our side. Keep polling at your pace; report the `requestId` if it persists.',
  'no response':
    'Time out after 20 seconds and try again at the next poll. Add some jitter, so that clients don’t all retry at once.',
};

const EVENTS = {
  'no name':
    'The list or its changes; the only events with an `id`. `EventSource` passes them to `onmessage`.',
  '`connected`': 'The stream is open. Its data are settings for a tRPC client.',
  '`ping`': 'Every 15 seconds. After 40 seconds without any event the connection is dead.',
  '`return`':
    'The server is shutting down and ends the stream. `EventSource` reconnects automatically.',
  '`serialized-error`':
    'An error on our side ended the stream. The data is an error body like any other.',
};

const DATA = {
  type: '`snapshot`: all rows. `changes`: the rows that have changed.',
  head: 'Everything in the REST response but its rows: `updatedAt`, `stats`, and for nodes `genesis`.',
  rows: 'Peers as in `GET /api/mesh`, compute offers as in `GET /api/registry/computes`.',
  removed: 'Ids of rows that are no longer listed. Offline nodes stay listed.',
};
