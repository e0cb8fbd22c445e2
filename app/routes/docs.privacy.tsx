import type { MetaFunction } from '@remix-run/node';
import { Marked, Section } from '#app/features/docs/section.tsx';
import { docsMeta, useDocs, type DocsPage } from '#app/features/docs/page.ts';
import { STORED, type StoredTable } from '#app/features/docs/stored.ts';
import facts from '#app/ui/facts.module.css';
import styles from '#app/features/docs/docs.module.css';

export const handle: DocsPage = {
  path: '/docs/privacy',
  title: 'Privacy',
  intro: 'What this service keeps, for how long, and who sees it. It is all here.',
  sections: [
    { id: 'never', title: 'What is never kept' },
    { id: 'place', title: 'Where a node lies' },
    { id: 'stored', title: 'What the database holds' },
    { id: 'registering', title: 'Registering a name' },
    { id: 'memory', title: 'What memory holds' },
    { id: 'log', title: 'What the log says' },
    { id: 'browser', title: 'What your browser keeps' },
    { id: 'others', title: 'Who else is asked' },
  ],
};

export const meta: MetaFunction = ({ matches }) => docsMeta(handle, matches);

export default function Privacy() {
  const { coordinateGrid } = useDocs();
  return (
    <>
      <Section id="never" title="What is never kept">
        <ul>
          <li>
            <strong>IP addresses</strong>, of nodes and of readers: not in the database, not in the
            log, not on a page.
          </li>
          <li>
            <strong>Exact coordinates</strong>: they are rounded before anything stores, logs or
            shows them.
          </li>
          <li>
            <strong>Where to connect</strong>: no host, port, URL or token. There is no field for
            it; other keys of a body are thrown away, a label that looks like an address is dropped,
            and an image with an address or a password in it is refused.
          </li>
          <li>
            <strong>Who reads</strong>: no cookies and no accounts for readers and operators, no
            counting of visitors, no browser names.
          </li>
        </ul>
      </Section>

      <Section id="place" title="Where a node lies">
        <p>
          A node’s place is what its operator says, rounded to a grid of {coordinateGrid} degrees
          {coordinateGrid === 0.5 && ', some 55 km from north to south'}. Nobody is located by IP
          address or DNS, neither nodes nor readers. An operator may give a place that is as far off
          as they like.
        </p>
      </Section>

      <Section id="stored" title="What the database holds">
        <p>
          These tables, with these fields, and no others. <code>rev</code>, <code>writtenAt</code>{' '}
          and <code>writtenBy</code> are the version of a row, and when and by which server process
          it was written; no page shows them. What is kept for a time is deleted within ten minutes
          after it is over.
        </p>
        {STORED.map((table) => (
          <StoredSection key={table.table} {...table} />
        ))}
      </Section>

      <Section id="registering" title="Registering a name">
        <p>
          A registration holds what you put in: the name, its label, class, region and kinds, the
          node’s id, and the confirmation text of the payment app if you give one. Reviewers see all
          of it; everybody sees it, without the text, once the name is active. No name, address or
          account of yours is asked for. The link of your registration is its key: whoever has it
          can see it and say that it is paid. It stands in no log, in no message to the reviewers’
          webhook, and in no address that reviewers use.
        </p>
        <p>
          Reviewers compare payments by the payment app’s export. Of a row they keep its date,
          amount, note and transaction id; who paid is thrown away when the file is read.
        </p>
      </Section>

      <Section id="memory" title="What memory holds">
        <p>
          The server counts wrong credentials (for a minute) and registrations (for ten minutes) by
          client, reviewers’ failed sign-ins by client and by account, and heartbeats and announces
          (for a minute) by node, to keep limits. A client is a keyed hash of its address. The key
          is made at random when the server starts and is kept nowhere else, so that nobody can find
          the address again. The counts are in memory only and end with the server.
        </p>
      </Section>

      <Section id="log" title="What the log says">
        <p>
          One line per refusal: the time, a random request id, the method, the path’s pattern (
          <code>/api/registry/register</code>, never what stands behind the <code>?</code>), the
          status, how long it took, and the error’s code and cause. At its most talkative setting it
          has such a line for every request. No address, no browser name, no coordinate, no
          credential, no id of a registration. The metrics are counts by path, method and status.
        </p>
      </Section>

      <Section id="browser" title="What your browser keeps">
        <p>
          In <code>localStorage</code>, under <code>theme</code>: light or dark, if you chose one.
          In <code>sessionStorage</code>, until you close the tab: under <code>positions</code> how
          far you had scrolled, so that “back” finds the place; and for a moment, when the service
          was updated under an open page, which version it has loaded. If you register a name here:
          the links of your registrations, under <code>registrations</code>, until you forget them
          on the page that lists them. None of it is sent anywhere.
        </p>
        <p>
          Only who signs in as a reviewer gets cookies: one for the session, for 14 days at most,
          and for some minutes one between the password and the second factor.
        </p>
      </Section>

      <Section id="others" title="Who else is asked">
        <p>
          Nobody. Fonts, scripts and the map’s shapes come from this server, and the pages’ security
          policy forbids the browser to ask any other. Pages send no <code>Referer</code>. If you
          follow the link to pay for a name you go to Cash App, which learns the amount, the payee
          and the note; what you do there is between you and it. A proxy that whoever runs this
          service has put in front is not part of what is described here.
        </p>
      </Section>
    </>
  );
}

function StoredSection({ table, what, fields, kept, seenBy }: StoredTable) {
  return (
    <section
      id={`table-${table}`}
      className={styles.stored}
      aria-labelledby={`table-${table}-title`}
    >
      <h3 id={`table-${table}-title`}>
        <code>{table}</code>
      </h3>
      <p>{what}</p>
      <dl className={facts.facts}>
        <dt>Fields</dt>
        <dd>
          <Marked text={fields.map((field) => `\`${field}\``).join(', ')} />
        </dd>
        <dt>Kept</dt>
        <dd>{kept}</dd>
        <dt>Seen by</dt>
        <dd>
          <Marked text={seenBy} />
        </dd>
      </dl>
    </section>
  );
}
