import { Link } from '@remix-run/react';
import type { Genesis } from '@mesh-registry/protocol/rest/mesh.schema.ts';
import { GenesisIcon } from '#app/ui/status-icon.tsx';
import { GenesisHealth } from './genesis-health.tsx';
import styles from './genesis-summary.module.css';
import { FOCUS_CARD } from './use-selection.ts';

/** The bootstrap peer with its health, as a link to its card. */
export function GenesisSummary({ genesis, href }: { genesis: Genesis; href: string }) {
  return (
    <div className={styles.genesis}>
      <GenesisIcon />
      <h3>
        <Link to={href} state={FOCUS_CARD} preventScrollReset>
          {genesis.label}
        </Link>
      </h3>
      <p>
        <GenesisHealth genesis={genesis} />
      </p>
    </div>
  );
}
