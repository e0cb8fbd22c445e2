import type { DayStrip } from '#server/uptime/index.ts';
import type { Sort } from '#server/registry/search.schema.ts';
import type { NameDetails } from '#server/registry/index.ts';
import type { RegistryEntry } from '@mesh-registry/protocol/rest/registry.schema.ts';
import type { PeerStatus } from '@mesh-registry/protocol/values.schema.ts';
import { registeredInWords } from '#app/features/mesh/registered-facts.ts';
import { UptimeShare } from '#app/features/uptime/uptime-share.tsx';
import { UptimeStrip } from '#app/features/uptime/uptime-strip.tsx';
import * as hrefs from '#app/lib/hrefs.ts';
import { count, regionName } from '#app/lib/formatters.ts';
import type { Column } from '#app/ui/data-table.tsx';
import { InfoIcon } from '#app/ui/icons.tsx';
import { KindIcon } from '#app/ui/kind-icon.tsx';
import { KIND_LABEL } from '#app/ui/kind-shapes.ts';
import { Link } from '#app/ui/link.tsx';
import { DayOf, RelativeTime } from '#app/ui/moment.tsx';
import { StateGlyph } from '#app/ui/state-glyph.tsx';
import { Status } from '#app/ui/status-icon.tsx';
import text from '#app/ui/text.module.css';
import styles from './name-table.module.css';

export interface NameRow extends Pick<
  RegistryEntry,
  'name' | 'kinds' | 'region' | 'class' | 'activatedAt'
> {
  /** What its node is called, or the ID of one that isn't on the map. */
  node: string;
  /** The status of its node; null if it isn't on the map. */
  nodeStatus: PeerStatus | null;
  /** What was registered, where its node says something else by now. */
  registered: NameDetails['registered'];
  /** Its compute offer; null if none was announced. `lastSeen` only of one that is offline. */
  offer: (Pick<Offer, 'status' | 'freeSlots'> & { lastSeen?: string }) | null;
  /** The uptime of its node over the last 30 days, from 0 to 1; null if it isn't known. */
  uptime: number | null;
  /** How long it was offline on each of them, seconds, to two digits; null if it isn't known. */
  offline: DayStrip['offline'] | null;
}

type Offer = NonNullable<RegistryEntry['compute']>;

interface NameColumn extends Column<NameRow> {
  sort?: Sort;
}

/** The columns of active names, with the live state of their node and compute offer. */
export const NAME_COLUMNS: NameColumn[] = [
  {
    head: 'Name',
    kind: 'name',
    sort: 'name',
    cell: ({ name, kinds, nodeStatus }) => (
      <span className={styles.name}>
        <StateGlyph state={nodeStatus ?? 'unknown'} className={styles.state} />
        <Link to={hrefs.name(name)}>{name}</Link>
        <span className={styles.kinds} title={kindWords(kinds)}>
          {kinds.map((kind) => (
            <KindIcon key={kind} kind={kind} />
          ))}{' '}
          <span className="visually-hidden">{kindWords(kinds)}</span>
        </span>
      </span>
    ),
  },
  {
    head: 'Node',
    sort: 'node',
    phone: 'hidden',
    className: styles.node,
    cell: ({ node, registered }) => (
      <>
        <span>{node}</span>
        <Registered otherwise={registeredInWords(registered)} />
      </>
    ),
  },
  {
    head: 'Node and offer',
    shown: 'cards',
    phone: 'below',
    className: styles.below,
    cell: (row) => (
      <>
        {row.node}
        {row.offer && ` · ${offerWords(row.offer)}`}
        <Registered otherwise={registeredInWords(row.registered)} />
      </>
    ),
  },
  {
    head: 'Region',
    sort: 'region',
    phone: 'hidden',
    className: styles.quiet,
    // The server and the browser may know a country by different names.
    cell: ({ region }) => (
      <span suppressHydrationWarning title={region}>
        {regionName(region) ?? region}
      </span>
    ),
  },
  {
    head: 'Class',
    sort: 'class',
    phone: 'hidden',
    shown: 'wide',
    cell: (row) => row.class,
  },
  {
    head: 'Node state',
    kind: 'word',
    sort: 'status',
    phone: 'hidden',
    cell: ({ nodeStatus }) =>
      nodeStatus ? (
        <Status status={nodeStatus} />
      ) : (
        <span className={text.secondary}>never seen</span>
      ),
  },
  {
    head: 'Offer',
    kind: 'word',
    sort: 'free',
    phone: 'hidden',
    cell: (row) => <OfferState {...row} />,
  },
  {
    head: 'Node, 30 days',
    phone: 'end',
    className: styles.strip,
    cell: ({ offline }) =>
      offline ? <UptimeStrip offline={offline} place="row" /> : <Absent reason="no data yet" />,
  },
  {
    head: 'Uptime',
    kind: 'number',
    sort: 'uptime',
    phone: 'aside',
    cell: ({ uptime }) =>
      uptime === null ? (
        <Absent reason="no data yet" />
      ) : (
        <strong>
          <UptimeShare share={uptime} />
        </strong>
      ),
  },
  {
    head: 'Active since',
    kind: 'number',
    sort: 'since',
    phone: 'hidden',
    shown: 'wide',
    className: styles.quiet,
    cell: ({ activatedAt }) => <DayOf at={activatedAt} />,
  },
];

const kindWords = (kinds: RegistryEntry['kinds']) =>
  kinds.map((kind) => KIND_LABEL[kind]).join(' and ');

const offerWords = ({ status, freeSlots }: NonNullable<NameRow['offer']>) =>
  status === 'available' ? `${count(freeSlots)} free` : status;

function OfferState({ kinds, offer }: Pick<NameRow, 'kinds' | 'offer'>) {
  if (!kinds.includes('compute')) return <Absent reason="not registered as a compute offer" />;
  if (!offer) return <span className={text.secondary}>never announced</span>;
  if (offer.lastSeen === undefined)
    return <Status status={offer.status} word={offerWords(offer)} />;
  return (
    <>
      <Status status="offline" />{' '}
      <span className={text.secondary}>
        <RelativeTime at={offer.lastSeen} />
      </span>
    </>
  );
}

/** A sign for what was registered otherwise than the node says by now; the name's page says it in a line. */
function Registered({ otherwise }: { otherwise: string }) {
  if (otherwise === '') return null;
  return (
    <span className={styles.registered} title={`Registered as ${otherwise}`}>
      <InfoIcon />
      <span className="visually-hidden">Registered as {otherwise}</span>
    </span>
  );
}

/** Shows a dash, and gives screen readers the reason. */
function Absent({ reason }: { reason: string }) {
  return (
    <span className={text.secondary}>
      <span aria-hidden>–</span>
      <span className="visually-hidden">{reason}</span>
    </span>
  );
}
