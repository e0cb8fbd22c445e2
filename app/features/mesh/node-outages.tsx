import type { DayStrip, NodeOutages } from '#server/uptime/index.ts';
import { OUTAGE_AFTER_MS } from '@mesh-registry/protocol/values.schema.ts';
import styles from '#app/features/uptime/outage-list.module.css';
import { OutageList } from '#app/features/uptime/outage-list.tsx';
import { offlineSeconds, spanText } from '#app/features/uptime/uptime-text.ts';
import * as hrefs from '#app/lib/hrefs.ts';
import { count, counted } from '#app/lib/formatters.ts';
import { Link } from '#app/ui/link.tsx';
import { Section } from '#app/ui/section.tsx';
import text from '#app/ui/text.module.css';

interface OutagesProps {
  outages: Omit<NodeOutages, 'days'>;
  /** The days that are summed up; null: without a sum. */
  days: DayStrip | null;
  /** The time that this is about: "in 90 days". */
  span?: string;
  /** Where all of them are listed. */
  allHref: string;
}

/** Of silence, minutes. */
const MINUTES = OUTAGE_AFTER_MS / 60_000;

/** The outages of a node over 90 days. */
export function Outages({ outages, days, span = 'in 90 days', allHref }: OutagesProps) {
  const { total, latest } = outages;
  const seconds = days ? offlineSeconds(days) : 0;
  return (
    <Section
      title="Outages"
      aside={
        <>
          {total === 0
            ? `None ${span}. An outage is ${MINUTES} min without a heartbeat. `
            : `${count(total)} ${span}${seconds > 0 ? `, ${spanText(seconds)} in total` : ''} · `}
          <Link className={styles.link} to={hrefs.docs.glossary('outage')}>
            How this is counted
          </Link>
        </>
      }
    >
      {total > 0 && <OutageList outages={latest} />}
      {total > latest.length && (
        <p className={styles.more}>
          <Link className={styles.link} to={allHref} preventScrollReset>
            All {counted(total, 'outage')}
          </Link>
        </p>
      )}
    </Section>
  );
}

/** In the place of history that can't be read now. */
export const NoHistory = () => (
  <Section title="Uptime, 90 days">
    <p className={text.secondary}>Uptime isn’t available right now. Try again in a minute.</p>
  </Section>
);
