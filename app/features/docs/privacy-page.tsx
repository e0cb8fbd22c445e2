import * as hrefs from '#app/lib/hrefs.ts';
import { useNetwork } from '#app/lib/network.tsx';
import { Marked, P, Section } from './section.tsx';
import { useDocs } from './docs-layout.tsx';
import type { DocsPage } from './docs-page.ts';
import { STORED_TABLES, type StoredTable } from '#db/schema/stored.schema.ts';
import facts from '#app/ui/facts.module.css';
import styles from './privacy-page.module.css';

export const privacyDocs: DocsPage = {
  path: hrefs.docs.privacy(),
  title: 'Privacy',
  intro: 'What this service stores, for how long, and who sees it.',
  sections: [
    { id: 'operator', title: 'Who runs this service' },
    { id: 'never', title: 'What we never store' },
    { id: 'place', title: 'Locations' },
    { id: 'stored', title: 'What the database stores' },
    { id: 'registering', title: 'Registering a name' },
    { id: 'public-log', title: 'The public log' },
    { id: 'memory', title: 'What is held in memory' },
    { id: 'log', title: 'What is logged' },
    { id: 'browser', title: 'What your browser stores' },
    { id: 'others', title: 'Third parties' },
  ],
};

export function PrivacyPage() {
  const { coordinateGrid } = useDocs();
  const { name, contactUrl } = useNetwork();
  return (
    <>
      <Section id="operator" title="Who runs this service">
        <p>
          {contactUrl === null ? (
            `This service belongs to the network “${name}”. Its operator hasn’t published a way to reach them here.`
          ) : (
            <>
              This service belongs to the network “{name}”.{' '}
              <a href={contactUrl}>Contact its operator</a> about anything on this page, such as
              what is stored about your node.
            </>
          )}
        </p>
      </Section>

      <Section id="never" title="What we never store">
        <ul>
          <li>
            <strong>IP addresses</strong> of nodes and visitors: not in the database, the log or on
            any page. They are used, in memory, to <a href="#memory">enforce rate limits</a>.
          </li>
          <li>
            <strong>Exact coordinates</strong>: they are rounded before anything is stored, logged
            or shown.
          </li>
          <li>
            <strong>Connection details</strong> of nodes: no host, port, URL or token. There is no
            field for them: unknown keys are discarded, a label that looks like an address is
            dropped, and an image that contains an address or a password is rejected.
          </li>
          <li>
            <strong>Visits</strong>: no cookies or accounts for visitors and operators, no counters,
            no browser names.
          </li>
        </ul>
      </Section>

      <Section id="place" title="Locations">
        <p>
          A node’s location is what its operator reports, rounded to a grid of {coordinateGrid}{' '}
          degrees
          {coordinateGrid === 0.5 && ' (about 55 km from north to south)'}. Neither nodes nor
          visitors are ever located by IP address or DNS. Operators can report it as vaguely as they
          like.
        </p>
        <p>
          The map can be replayed. For that we store how many nodes sent heartbeats at each place:
          by quarter of an hour for a day, and by day for 90 days. These counts contain no IDs or
          labels, so they stay as they were when a node is removed, and expire automatically. If
          your node is the only one at its place, the count still shows that someone was there.
        </p>
      </Section>

      <Section id="stored" title="What the database stores">
        <P>
          These tables and fields, and no others. `rev`, `writtenAt` and `writtenBy` are the version
          of a row, and when and by which server process it was written; no page shows them. Data
          with a time limit is deleted within ten minutes of it.
        </P>
        {STORED_TABLES.map((table) => (
          <TableSection key={table.table} {...table} />
        ))}
      </Section>

      <Section id="registering" title="Registering a name">
        <p>
          A registration holds what you enter: the name, its label, class, region and kinds, the
          node’s ID, and the payment app’s confirmation text if you provide it. Reviewers see all of
          it; everyone sees it, without the confirmation text, once the name is active. We don’t ask
          for your name, address or account. The link of your registration is its key: anyone who
          has it can view the registration and report its payment. It never appears in a log, in a
          message to the reviewers’ webhook, or in a URL that reviewers use.
        </p>
        <p>
          Anyone who has that link can have messages about decisions and outages sent to an address
          of their choice. The address is used for nothing else; reviewers and other visitors never
          see it. The receiver learns the address of this server, the name, the node’s ID, and when
          it was offline.
        </p>
        <p>
          Reviewers match payments using the payment app’s export. Of each row they keep the date,
          amount, note and transaction ID; the payer is discarded when the file is read.
        </p>
      </Section>

      <Section id="public-log" title="The public log">
        <p>
          If this network has a public log, what happens to names and blocked nodes is written to
          it: the time, the name, the node’s ID, what the name belongs to, and whether the name was
          activated, revoked or released, or the node blocked or unblocked. Nothing else: no label,
          reason, reviewer or payment. The nodes of the network keep copies, so that nobody can
          change it later. So an entry is permanent, even after the node is removed.
        </p>
      </Section>

      <Section id="memory" title="What is held in memory">
        <p>
          To enforce rate limits, the server counts wrong credentials (for a minute) and
          registrations (for ten minutes) by client, new nodes and compute offers by client (until
          the limit has refilled, an hour at most), reviewers’ failed sign-ins by client and
          account, and heartbeats and announcements (for a minute) by node. It also keeps which
          client started each registration, until that is reviewed or expires. Clients are
          distinguished by a keyed hash of their address. The key is generated when the server
          starts and stored nowhere, so the address can’t be recovered. The counts are held in
          memory only and are lost when the server stops.
        </p>
      </Section>

      <Section id="log" title="What is logged">
        <P>
          One line per rejected request: the time, a random request ID, the method, the path’s
          pattern (`/api/registry/register`, never what follows the `?`), the status, the duration,
          and the error’s code and cause. At the most verbose level there is one for every request.
          No address, browser name, coordinate, credential or registration ID is logged. Metrics are
          counts by path, method and status.
        </P>
      </Section>

      <Section id="browser" title="What your browser stores">
        <P>
          In `localStorage`: under `theme`, light or dark, if you chose one; under `map`, that you
          chose the globe; under `review-keys`, whether keyboard shortcuts are on; and under
          `registrations`, the links of names you register here, until you forget them on the page
          that lists them. In `sessionStorage`, until you close the tab: under `positions`, how far
          you scrolled, so that the back button returns you there; and briefly, when the service is
          updated while a page is open, the version it has loaded. None of it is sent anywhere, but
          for one thing: if you paid for a registration that has ended and start another one in its
          place, the form names it by its `registrations` entry.
        </P>
        <p>
          Only reviewers who sign in get cookies: one for the session, for up to 14 days, one for
          the few minutes between the password and the second factor, and one by which the browser
          is recognised for 180 days, so that nobody else can lock them out. It names no account.
        </p>
      </Section>

      <Section id="others" title="Third parties">
        <P>
          None, apart from the address of your notifications if you set one. Fonts, scripts and map
          shapes come from this server, and the pages’ security policy stops the browser from
          contacting any other. Pages send no `Referer`. If you follow the link to pay for a name,
          you go to Cash App, which learns the amount, the payee and the note; what you do there is
          between you and Cash App. A proxy that the operator of this service runs in front of it
          isn’t covered here.
        </P>
      </Section>
    </>
  );
}

function TableSection({ table, what, fields, kept, seenBy }: StoredTable) {
  return (
    <section
      id={`table-${table}`}
      className={styles.table}
      aria-labelledby={`table-${table}-title`}
    >
      <h3 id={`table-${table}-title`}>
        <code>{table}</code>
      </h3>
      <p>{what}</p>
      <dl className={facts.facts}>
        <dt>Fields</dt>
        <dd>
          <Marked>{fields.map((field) => `\`${field}\``).join(', ')}</Marked>
        </dd>
        <dt>Stored</dt>
        <dd>{kept}</dd>
        <dt>Seen by</dt>
        <dd>
          <Marked>{seenBy}</Marked>
        </dd>
      </dl>
    </section>
  );
}
