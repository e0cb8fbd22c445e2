import { Link } from '@remix-run/react';
import styles from './site-footer.module.css';

/** The end of every page but the map itself, which fills the window. */
export function SiteFooter() {
  return (
    <footer className={styles.footer}>
      <div>
        <p>Locations are approximate. IP addresses are never stored, logged or shown.</p>
        <ul>
          <li>
            <Link to="/docs/operators">Run a node</Link>
          </li>
          <li>
            <Link to="/docs/privacy">Privacy</Link>
          </li>
          <li>
            <Link to="/docs">API</Link>
          </li>
          <li>
            <Link to="/network">Network</Link>
          </li>
          <li>
            <Link to="/status">Status</Link>
          </li>
          <li>
            <Link to="/review">Review</Link>
          </li>
        </ul>
      </div>
    </footer>
  );
}
