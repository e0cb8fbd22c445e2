import * as hrefs from '#app/lib/hrefs.ts';
import { useNetwork } from '#app/lib/network.tsx';
import { Link } from './link.tsx';
import styles from './site-footer.module.css';

const LINKS = [
  { to: hrefs.docs.operators(), name: 'Run a node' },
  { to: hrefs.docs.privacy(), name: 'Privacy' },
  { to: hrefs.docs.rest(), name: 'API' },
  { to: hrefs.network(), name: 'Network' },
  { to: hrefs.status(), name: 'Status' },
  { to: hrefs.dashboard(), name: 'Review' },
];

/** The end of every page but the map itself, which fills the window. */
export function SiteFooter() {
  const { contactUrl, settings } = useNetwork();
  return (
    <footer className={styles.footer}>
      <div>
        <p>Locations are approximate. IP addresses are never stored, logged or shown.</p>
        <ul>
          {LINKS.filter(({ to }) => settings || to !== hrefs.network()).map(({ to, name }) => (
            <li key={to}>
              <Link to={to}>{name}</Link>
            </li>
          ))}
          {contactUrl !== null && (
            <li>
              <a href={contactUrl}>Contact</a>
            </li>
          )}
        </ul>
      </div>
    </footer>
  );
}
