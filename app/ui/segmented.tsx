import type { ReactNode } from 'react';
import { Link } from './link.tsx';
import styles from './segmented.module.css';

interface Segment {
  to: string;
  text: ReactNode;
  chosen: boolean;
}

/** A choice of few that stand side by side: links, so that they work without scripts, with Back and after a reload. */
export const Segmented = ({ label, segments }: { label: string; segments: Segment[] }) => (
  <nav aria-label={label}>
    <ul className={styles.group}>
      {segments.map(({ to, text, chosen }) => (
        <li key={to}>
          <Link to={to} preventScrollReset aria-current={chosen ? 'page' : undefined}>
            {text}
          </Link>
        </li>
      ))}
    </ul>
  </nav>
);
