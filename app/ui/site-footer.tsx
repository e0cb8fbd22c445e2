import { Link } from '@remix-run/react';
import * as hrefs from '#app/lib/hrefs.ts';
import styles from './site-footer.module.css';

/** The end of every page but the map itself, which fills the window. */
export function SiteFooter() {
  return (
    <footer className={styles.footer}>
      <div>
        <p>Locations are approximate. IP addresses are never stored, logged or shown.</p>
        <ul>
          <li>
            <Link to={hrefs.docs.operators()}>Run a node</Link>
          </li>
          <li>
            <Link to={hrefs.docs.privacy()}>Privacy</Link>
          </li>
          <li>
            <Link to={hrefs.docs.overview()}>API</Link>
          </li>
          <li>
            <Link to={hrefs.network()}>Network</Link>
          </li>
          <li>
            <Link to={hrefs.status()}>Status</Link>
          </li>
          <li>
            <Link to={hrefs.dashboard()}>Review</Link>
          </li>
        </ul>
      </div>
    </footer>
  );
}
