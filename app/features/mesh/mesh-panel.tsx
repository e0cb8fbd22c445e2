import { forwardRef, type ReactNode } from 'react';
import { Sheet } from '#app/ui/sheet.tsx';
import styles from './mesh-panel.module.css';

export interface MeshPanelProps {
  /** As a rail it is narrow. */
  folded: boolean;
  /** Something else stands in the place of the sheet. */
  away: boolean;
  /** What is open in it; null: nothing. As a sheet it rises for what opens. */
  opened: string | null;
  children: ReactNode;
}

/** Counts and filters, or what is selected: a rail beside the map; on a phone or tablet a sheet over its lower end. */
export const MeshPanel = forwardRef<HTMLDivElement, MeshPanelProps>(function MeshPanel(
  { folded, away, opened, children },
  ref,
) {
  return (
    <Sheet
      ref={ref}
      className={styles.panel}
      opened={opened}
      data-folded={folded || undefined}
      data-away={away || undefined}
    >
      {children}
    </Sheet>
  );
});
