import { Panel } from '#app/ui/panel.tsx';
import styles from './network-page.module.css';

/** For a service without TRUTH_FILE. */
export function NotPublished() {
  return (
    <Panel title="Nothing published" className={styles.paragraphs}>
      <p>
        This network publishes no signed truth: no peer is banned, and no log can be checked. The
        map and the registry work without one.
      </p>
      <p>
        If you operate this service, make the keys and sign a first truth with{' '}
        <code>mesh-agent truth</code>, and name its file in <code>TRUTH_FILE</code>.
      </p>
    </Panel>
  );
}
