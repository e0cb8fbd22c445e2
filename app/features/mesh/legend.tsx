import type { ReactNode } from 'react';
import {
  NODE_CLASSES,
  PEER_STATUSES,
  type PeerStatus,
} from '@mesh-registry/protocol/values.schema.ts';
import { meshHref, type Facets, type MeshQuery } from '#server/mesh/mesh-query.schema.ts';
import { count } from '#app/lib/formatters.ts';
import { Link } from '#app/ui/link.tsx';
import { StateGlyph } from '#app/ui/state-glyph.tsx';
import { RADIUS } from '#app/ui/status-shapes.ts';
import { Term } from '#app/ui/term.tsx';
import styles from './legend.module.css';
import { toggledClass, toggledStatus } from './place-filter.ts';

export const MEANING: Record<PeerStatus, string> = {
  online: 'Reporting and taking part',
  syncing: 'Reporting, still catching up',
  idle: 'Reporting, taking no work',
  offline: 'No heartbeat for over a minute',
};

interface ChoicesProps {
  facets: Facets;
  query: MeshQuery;
}

/** What the signs on the map mean, how many nodes have each, and the filter for it: every row is a toggle. */
export const StatusChoices = ({ facets, query }: ChoicesProps) => (
  <ul className={styles.statuses} aria-label="Status">
    {PEER_STATUSES.map((status) => (
      <li key={status}>
        <Toggle
          href={hrefOf(query, { status: toggledStatus(query.status, status) })}
          on={query.status.includes(status)}
        >
          <StateGlyph state={status} size={14} />
          <span>
            <b>{status}</b> <small>{MEANING[status]}</small>
          </span>{' '}
          <em>{count(facets.status[status])}</em>
        </Toggle>
      </li>
    ))}
  </ul>
);

/** The sizes of the signs in the same way. */
export const ClassChoices = ({ facets, query }: ChoicesProps) => (
  <div className={styles.classes}>
    <span>
      Size is <Term id="class">class</Term>
    </span>
    <ul aria-label="Class">
      {NODE_CLASSES.map((size) => (
        <li key={size}>
          <Toggle
            href={hrefOf(query, { class: toggledClass(query.class, size) })}
            on={query.class.includes(size)}
          >
            <StateGlyph state="online" size={2 * RADIUS[size] + 2} />
            <span className="visually-hidden">class </span>
            {size} <b>{count(facets.class[size])}</b>
          </Toggle>
        </li>
      ))}
    </ul>
  </div>
);

const hrefOf = (query: MeshQuery, patch: Partial<MeshQuery>) =>
  meshHref({ ...query, page: 1, ...patch });

function Toggle({ href, on, children }: { href: string; on: boolean; children: ReactNode }) {
  return (
    <Link to={href} replace preventScrollReset aria-current={on || undefined}>
      {children}
    </Link>
  );
}
