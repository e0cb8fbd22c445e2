import { Link } from '@remix-run/react';

/** The end of every page but the map itself, which fills the window. */
export function SiteFooter() {
  return (
    <footer className="site-footer">
      <div>
        <p>Places are rounded. Nobody is located by an address, and none is kept.</p>
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
