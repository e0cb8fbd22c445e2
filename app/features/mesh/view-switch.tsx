import { Link } from '#app/ui/link.tsx';
import { meshHref, type MeshQuery } from '#server/mesh/mesh-query.schema.ts';
import card from '#app/ui/card.module.css';
import { rememberView } from './globe/globe.tsx';
import styles from './view-switch.module.css';

const VIEWS = [
  { name: 'map', text: 'Map' },
  { name: 'globe', text: 'Globe' },
  { name: 'list', text: 'List' },
] as const;

/** Map, globe or list, or the map over time. Without scripts there is only the list, and no switch. */
export function ViewSwitch({ query }: { query: MeshQuery }) {
  const { view } = query;
  return (
    <nav
      className={`${card.floating} ${styles.switch} needs-scripts`}
      aria-label="View"
      data-view={view === 'list' ? 'list' : 'map'}
    >
      {VIEWS.map(({ name, text }) => (
        <Link
          key={name}
          to={meshHref({ ...query, view: name })}
          // Between map and globe the back button returns.
          replace={view === 'list' || name === 'list'}
          preventScrollReset
          onClick={() => rememberView(name)}
          aria-current={view === name ? 'page' : undefined}
        >
          {text}
        </Link>
      ))}
      <Link
        to={meshHref({ ...query, view: 'map', replay: { span: '24h', at: null } })}
        preventScrollReset
      >
        Replay
      </Link>
    </nav>
  );
}
