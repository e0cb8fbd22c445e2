import type { MetaFunction } from '@remix-run/node';
import { OFFLINE_AFTER_MS } from '#server/mesh/values.schema.ts';
import { CodeBlock } from '#app/features/docs/code-block.tsx';
import { Marked, Section } from '#app/features/docs/section.tsx';
import { pollNode, pollSh, streamBrowser, streamSh } from '#app/features/docs/examples.ts';
import { docsMeta, useDocs, type DocsPage } from '#app/features/docs/page.ts';
import facts from '#app/ui/facts.module.css';
import styles from '#app/features/docs/docs.module.css';

export const handle: DocsPage = {
  path: '/docs/status-pages',
  title: 'For status pages',
  intro: 'Show the network elsewhere: ask now and then, or be told of each change.',
  sections: [
    { id: 'which', title: 'Ask, or be told' },
    { id: 'poll', title: 'Ask with an ETag' },
    { id: 'stale', title: 'When an answer is old' },
    { id: 'trouble', title: 'When there is none' },
    { id: 'stream', title: 'Be told: the event stream' },
    { id: 'events', title: 'Its events' },
    { id: 'resume', title: 'Going on after a break' },
  ],
};

export const meta: MetaFunction = ({ matches }) => docsMeta(handle, matches);

export default function StatusPages() {
  const docs = useDocs();
  const { origin } = docs;
  return (
    <>
      <Section id="which" title="Ask, or be told">
        <p>
          <code>GET {origin}/api/mesh</code> gives everything at once: totals in <code>stats</code>,
          the bootstrap peer in <code>genesis</code>, every node in <code>peers</code>. Ask every 10
          seconds or more rarely. If seconds matter, open the event stream instead.{' '}
          <code>GET {origin}/api/registry/computes</code> and its stream work the same way. All of
          it is free to read from any page and program, without a credential.
        </p>
        <p>
          The states and totals of one answer belong to one moment. Take <code>status</code> as it
          is instead of working it out from <code>lastSeen</code>. A node that falls silent turns
          offline after {OFFLINE_AFTER_MS / 1000} seconds.
        </p>
      </Section>

      <Section id="poll" title="Ask with an ETag">
        <p>
          Every answer has an <code>ETag</code>. Send it back in <code>If-None-Match</code>, as it
          was, with quotes and <code>W/</code>: while nothing has changed the answer is{' '}
          <code>304</code> without a body. Accept gzip or brotli. A browser’s <code>fetch</code>{' '}
          does all of this by itself.
        </p>
        <CodeBlock caption="Ask, and ask again" code={pollSh(docs)} />
        <CodeBlock caption="poll.mjs" code={pollNode(docs)} />
      </Section>

      <Section id="stale" title="When an answer is old">
        <p>
          While the service has lost its database it goes on answering from memory, with{' '}
          <code>200</code>, and <code>updatedAt</code> stands still at the last moment that it is
          sure of. Whenever a <code>200</code> arrives, compare it with the answer’s{' '}
          <code>Date</code> header: more than 1.5 seconds apart means old. Then show “as of” and
          that time, also with each <code>304</code> that follows; when the database is back the
          next answer is a <code>200</code> again. Meanwhile no heartbeat can be taken, so nodes
          turn offline one after the other: that says nothing about them.
        </p>
      </Section>

      <Section id="trouble" title="When there is none">
        <dl className={styles.fields}>
          {TROUBLE.map(([what, todo]) => (
            <div key={what}>
              <dt>
                <Marked text={what} />
              </dt>
              <dd>
                <Marked text={todo} />
              </dd>
            </div>
          ))}
        </dl>
      </Section>

      <Section id="stream" title="Be told: the event stream">
        <p>
          The stream is made of server-sent events, over one long <code>GET</code>. First comes the
          whole list, then, once a second at most, what has changed.
        </p>
        <dl className={facts.facts}>
          <dt>Nodes</dt>
          <dd>
            <code>{origin}/api/trpc/mesh.changes</code>
          </dd>
          <dt>Computes</dt>
          <dd>
            <code>{origin}/api/trpc/computes.changes</code>
          </dd>
          <dt>Input</dt>
          <dd>
            None, or <code>?input=</code> and the percent-encoded JSON{' '}
            <code>{'{"lastEventId":"…"}'}</code>.
          </dd>
        </dl>
        <CodeBlock caption="In a browser" code={streamBrowser(docs)} />
        <CodeBlock caption="On a command line: the first event" code={streamSh(docs)} />
        <p>
          A proxy in between must not hold the stream back: no buffering and no compression for{' '}
          <code>text/event-stream</code>.
        </p>
      </Section>

      <Section id="events" title="Its events">
        <dl className={styles.fields}>
          {EVENTS.map(([name, what]) => (
            <div key={name}>
              <dt>
                <Marked text={name} />
              </dt>
              <dd>
                <Marked text={what} />
              </dd>
            </div>
          ))}
        </dl>
        <p>
          The <code>data</code> of an event without a name is one JSON object:
        </p>
        <dl className={styles.fields}>
          {DATA.map(([name, what]) => (
            <div key={name}>
              <dt>
                <code>{name}</code>
              </dt>
              <dd>
                <Marked text={what} />
              </dd>
            </div>
          ))}
        </dl>
      </Section>

      <Section id="resume" title="Going on after a break">
        <p>
          The <code>id</code> of an event is a position in the list’s history. Do not look into it,
          only keep the last one. An <code>EventSource</code> that has lost its connection opens it
          again by itself and sends that id in <code>Last-Event-ID</code>; a new one takes it in the
          input, as in the example. Then follows one event with every row that has changed since, as
          it is now, however long the break was. Rows are whole: put each in the place of the one
          with the same <code>id</code>.
        </p>
        <p>
          An id of another server process, of one that has been restarted, or none at all begins
          with a <code>snapshot</code>. Forget what you had then.
        </p>
      </Section>
    </>
  );
}

const TROUBLE: [string, string][] = [
  [
    '`429`',
    'Reading is not limited here, but a proxy in front may do it. Wait for the seconds in `Retry-After`, or 30.',
  ],
  [
    '`502`, `503`, `504`',
    'The service is being restarted, or a proxy cannot reach it. Keep what you have, say from when it is, and wait for `Retry-After`, or 30 seconds.',
  ],
  ['`500`', 'The mistake is ours. Go on asking at your pace; report the `requestId` if it stays.'],
  [
    'no answer',
    'Give up after 20 seconds and ask again at the next turn. Add a little chance to the wait, so that not all pages come back at one moment.',
  ],
];

const EVENTS: [string, string][] = [
  [
    'no name',
    'The list or its changes; the only events with an `id`. `EventSource` gives them to `onmessage`.',
  ],
  ['`connected`', 'The stream is open. Its data are settings for a tRPC client.'],
  ['`ping`', 'Every 15 seconds. If 40 seconds pass without any event the connection is dead.'],
  [
    '`return`',
    'The server ends the stream in good order, because it stops. `EventSource` comes back by itself.',
  ],
  [
    '`serialized-error`',
    'A mistake on our side ended the stream. The data are an error like any other.',
  ],
];

const DATA: [string, string][] = [
  ['type', '`snapshot`: the rows are all there are. `changes`: the rows that have changed.'],
  [
    'head',
    'Everything of the REST answer but its rows: `updatedAt`, `stats`, and for nodes `genesis`.',
  ],
  ['rows', 'Peers as in `GET /api/mesh`, computes as in `GET /api/registry/computes`.'],
  ['removed', 'Ids of rows that are no longer in the list. A node stays in it, as offline.'],
];
