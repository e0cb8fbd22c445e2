import * as hrefs from '#app/lib/hrefs.ts';
import button from '#app/ui/button.module.css';
import { LineIcon } from '#app/ui/icons.tsx';
import { Link } from '#app/ui/link.tsx';
import { Tray } from '#app/ui/tray.tsx';
import styles from './compare-tray.module.css';
import {
  COMPARE_MAX,
  compareString,
  nameInKey,
  queryString,
  type DirectoryQuery,
} from './directory-query.ts';
import { useComparison } from './use-comparison.ts';

/** The form that sends the ticked offers where there are no scripts, and why no more can be ticked. */
export const [COMPARE_FORM, COMPARE_LIMIT] = ['compare', 'compare-limit'];

/** The offers that are chosen to be compared. Without scripts it is always there, with the button for those that are ticked. */
export function CompareTray({ query }: { query: DirectoryQuery }) {
  const { chosen } = useComparison();
  const search = (compare: string[]) => queryString({ ...query, compare });
  const full = chosen.length === COMPARE_MAX;
  return (
    <>
      <form id={COMPARE_FORM} action={hrefs.compare()} className="without-scripts" data-plain="">
        <Tray label="Compare">
          <p className={styles.hint}>Tick up to four offers</p>
          <button className={button.primary}>Compare</button>
        </Tray>
      </form>
      {chosen.length > 0 && (
        <div className="needs-scripts">
          <Tray label="Compare">
            <p id={COMPARE_LIMIT} className={styles.hint}>
              {full ? 'Four is the most' : 'Compare up to four'}
            </p>
            <ul className={styles.chosen}>
              {chosen.map((key) => (
                <li key={key} className={styles.chip}>
                  {nameInKey(key)}
                  <Link
                    to={hrefs.computes(search(chosen.filter((other) => other !== key)))}
                    replace
                    preventScrollReset
                    aria-label={`Remove ${nameInKey(key)}`}
                  >
                    <LineIcon path="M5.5 5.5l9 9m0-9l-9 9" />
                  </Link>
                </li>
              ))}
              {!full && (
                <li className={styles.empty}>
                  Choose {chosen.length === 1 ? 'another' : 'one more'}
                </li>
              )}
            </ul>
            <Link
              className={styles.clear}
              to={hrefs.computes(search([]))}
              replace
              preventScrollReset
            >
              Clear
            </Link>
            {chosen.length > 1 && (
              <Link className={button.primary} to={hrefs.compare(compareString(chosen))}>
                Compare {chosen.length}
              </Link>
            )}
          </Tray>
        </div>
      )}
    </>
  );
}
