import { Link } from '@remix-run/react';
import type { MeshQuery } from '#server/mesh/mesh-query.schema.ts';
import card from '#app/ui/card.module.css';
import styles from './view-switch.module.css';

const VIEWS = [
  { name: 'map', text: 'Map' },
  { name: 'list', text: 'List' },
] as const;

export interface ViewSwitchProps {
  view: MeshQuery['view'];
  href: (view: MeshQuery['view']) => string;
  /** Where the map is replayed. */
  replayHref: string;
}

/** Map or list, or the map over time. Without scripts there is only the list, and no switch. */
export function ViewSwitch({ view, href, replayHref }: ViewSwitchProps) {
  return (
    <nav
      className={`${card.floating} ${styles.switch} needs-scripts`}
      aria-label="View"
      data-view={view}
    >
      {VIEWS.map(({ name, text }) => (
        <Link
          key={name}
          to={href(name)}
          replace
          preventScrollReset
          aria-current={view === name ? 'page' : undefined}
        >
          {text}
        </Link>
      ))}
      <Link to={replayHref} preventScrollReset>
        Replay
      </Link>
    </nav>
  );
}
