import type { ReactNode } from 'react';
import { Link } from './link.tsx';
import styles from './segmented.module.css';

interface Segment {
  text: ReactNode;
  chosen: boolean;
}

interface LinkSegment extends Segment {
  to: string;
  /** Choosing it replaces the entry in the browser's history. */
  replace?: boolean;
  onClick?: () => void;
}

interface ButtonSegment extends Segment {
  /** Names it among the others. */
  id: string;
  title?: string;
  onClick: () => void;
}

interface SegmentedProps<Each extends Segment> {
  label: string;
  segments: Each[];
  className?: string | undefined;
}

/** A choice of few that stand side by side: links, so that they work without scripts, with Back and after a reload. */
export const Segmented = ({ label, segments, className }: SegmentedProps<LinkSegment>) => (
  <nav aria-label={label} className={className}>
    <ul className={styles.group}>
      {segments.map(({ to, text, chosen, ...link }) => (
        <li key={to}>
          <Link to={to} preventScrollReset aria-current={chosen ? 'page' : undefined} {...link}>
            {text}
          </Link>
        </li>
      ))}
    </ul>
  </nav>
);

/** The same of what only scripts can do. */
export const SegmentedButtons = ({
  label,
  segments,
  className = '',
}: SegmentedProps<ButtonSegment>) => (
  <div role="group" aria-label={label} className={`${styles.group} ${className}`}>
    {segments.map(({ id, text, chosen, ...button }) => (
      <button key={id} type="button" aria-pressed={chosen} {...button}>
        {text}
      </button>
    ))}
  </div>
);
