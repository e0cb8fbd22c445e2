import type { ReactNode } from 'react';
import type { UnlistedReason } from '@mesh-registry/protocol/values.schema.ts';
import type { NodeCompute } from '#server/nodes/index.ts';
import * as hrefs from '#app/lib/hrefs.ts';
import { count, counted } from '#app/lib/formatters.ts';
import { DataTable, type Column } from '#app/ui/data-table.tsx';
import { Link } from '#app/ui/link.tsx';
import { RelativeTime } from '#app/ui/moment.tsx';
import { Section } from '#app/ui/section.tsx';
import { StateGlyph, type GlyphState } from '#app/ui/state-glyph.tsx';
import { Status } from '#app/ui/status-icon.tsx';
import text from '#app/ui/text.module.css';
import styles from './node-page.module.css';

interface NodeComputesProps {
  computes: NodeCompute[];
  /** Nobody can use what a silent node offers. */
  offline: boolean;
}

/** The node's compute offers, and for those that the directory doesn't list the reason. */
export function NodeComputes({ computes, offline }: NodeComputesProps) {
  return (
    <Section
      title="Compute offers"
      aside={
        computes.length === 0 ? (
          <>
            None.{' '}
            <Link className={styles.link} to={hrefs.docs.operators('announce')}>
              How to announce one
            </Link>
          </>
        ) : offline ? (
          'Unavailable while the node is offline'
        ) : (
          slots(computes)
        )
      }
    >
      {computes.length > 0 && (
        <DataTable
          caption="Compute offers of this node"
          columns={offline ? OFFLINE_COLUMNS : COLUMNS}
          rows={computes}
          id={({ name }) => name}
          cards="lines"
          linked
          className={styles.offers}
        />
      )}
    </Section>
  );
}

/** "9 slots free in 3 offers". */
function slots(computes: NodeCompute[]): string {
  const free = computes
    .filter(({ status }) => status === 'available')
    .reduce((sum, { freeSlots }) => sum + freeSlots, 0);
  return `${counted(free, 'slot')} free in ${counted(computes.length, 'offer')}`;
}

const WHY_UNLISTED: Record<UnlistedReason, (name: string) => ReactNode> = {
  name_not_active: (name) => (
    <>
      The name isn’t active. <Link to={hrefs.name(name)}>Check if it’s available</Link>. Once it is
      active, the compute offer is listed automatically.
    </>
  ),
  name_owned_by_another_node: (name) => (
    <>
      The name <Link to={hrefs.name(name)}>belongs to another node</Link>. Announce the compute
      offer under a name registered for this node.
    </>
  ),
  registration_lacks_compute: (name) => (
    <>
      The name <Link to={hrefs.name(name)}>is registered</Link> for a node only. Announce the
      compute offer under a name registered for compute offers.
    </>
  ),
};

/** How many are free now; of an offer that is offline none, whatever it last announced. */
const Slots = ({ freeSlots, status }: NodeCompute) =>
  status === 'offline' || freeSlots === 0 ? (
    <span className={text.secondary}>none free</span>
  ) : (
    <>
      <strong>{count(freeSlots)}</strong> <span className={text.secondary}>free</span>
    </>
  );

/** What an offer's state is called, and its shape: while its node is offline it can't be used. */
type StateOf = (offer: NodeCompute) => { state: GlyphState; word: string };

const columns = (stateOf: StateOf): Column<NodeCompute>[] => [
  {
    head: 'Name',
    kind: 'name',
    className: styles.offer,
    cell: (offer) => {
      const { name, reason } = offer;
      const { state, word } = stateOf(offer);
      return (
        <>
          <span className={styles.glyph}>
            <StateGlyph state={state} /> <span className="visually-hidden">{word}</span>
          </span>
          {reason ? (
            <>
              {name}
              <span className={text.remark}>
                <strong>Not listed.</strong> {WHY_UNLISTED[reason](name)}
              </span>
            </>
          ) : (
            <Link className={styles.name} to={hrefs.name(name)}>
              {name}
            </Link>
          )}
        </>
      );
    },
  },
  {
    head: 'Image',
    phone: 'hidden',
    cell: ({ image }) =>
      image ? (
        <code className={text.secondary}>{image}</code>
      ) : (
        <span className={text.secondary}>not stated</span>
      ),
  },
  {
    head: 'Slots',
    kind: 'word',
    phone: 'aside',
    cell: (compute) => <Slots {...compute} />,
  },
  {
    head: 'Size',
    kind: 'word',
    phone: 'hidden',
    cell: ({ replicas }) => (
      <>
        {count(replicas)}{' '}
        <span className={text.secondary}>{replicas === 1 ? 'replica' : 'replicas'}</span>
      </>
    ),
  },
  {
    head: 'State',
    kind: 'word',
    phone: 'hidden',
    cell: (offer) => {
      const { state, word } = stateOf(offer);
      return <Status status={state} word={word} />;
    },
  },
  {
    head: 'Announced',
    kind: 'number',
    phone: 'end',
    cell: ({ lastSeen }) => <RelativeTime at={lastSeen} />,
  },
];

const COLUMNS = columns(({ status }) => ({ state: status, word: status }));
const OFFLINE_COLUMNS = columns(() => ({ state: 'offline', word: 'unavailable' }));
