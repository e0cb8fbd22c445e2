import { Link } from '@remix-run/react';
import type { MeshQuery } from '#server/mesh/mesh-query.schema.ts';

/** Map or list: two addresses of one page. Without JavaScript there is only the list, and no switch. */
export function ViewSwitch({
  view,
  href,
}: {
  view: MeshQuery['view'];
  href: (view: MeshQuery['view']) => string;
}) {
  return (
    <nav className="view-switch card" aria-label="View">
      {(['map', 'list'] as const).map((name) => (
        <Link
          key={name}
          to={href(name)}
          replace
          preventScrollReset
          aria-current={view === name ? 'page' : undefined}
        >
          {name === 'map' ? 'Map' : 'List'}
        </Link>
      ))}
    </nav>
  );
}
