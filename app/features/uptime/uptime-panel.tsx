import type { UptimeStrip } from '#server/uptime/index.ts';
import { percent } from '#app/lib/formatters.ts';
import { Panel } from '#app/ui/panel.tsx';
import text from '#app/ui/text.module.css';
import type { LoadedUptime } from './node-uptime.server.ts';
import { bars, offlineMark, onlineBar, STRIP_HEIGHT, unmeasuredMark } from './uptime-bars.ts';
import styles from './uptime-panel.module.css';
import { spanText, WINDOW_LABEL } from './uptime-text.ts';

interface UptimePanelProps {
  title: string;
  uptime: LoadedUptime;
  className?: string | undefined;
}

/** A node's uptime of the last 24 hours, 7, 30 and 90 days, each as a strip with its numbers. */
export function UptimePanel({ title, uptime, className }: UptimePanelProps) {
  if (uptime === null) return null;
  return (
    <Panel title={title} className={className}>
      {uptime === 'unavailable' ? (
        <p className={text.secondary}>Uptime isn’t available right now. Try again in a minute.</p>
      ) : (
        <>
          <ul className={styles.strips}>
            {uptime.strips.map((strip) => (
              <Strip key={strip.window} strip={strip} />
            ))}
          </ul>
          <Legend />
        </>
      )}
    </Panel>
  );
}

function Strip({ strip }: { strip: UptimeStrip }) {
  const { window, uptime, cells } = strip;
  return (
    <li className={styles.strip}>
      <div className={styles.words}>
        <strong className={styles.share}>{uptime === null ? 'No data' : percent(uptime)}</strong>
        <span>
          {cells.startsWith(' ') ? 'since it joined, within ' : 'of the last '}
          {WINDOW_LABEL[window]}
        </span>
        <span className={`${styles.remarks} ${text.secondary}`}>{remarks(strip).join(' · ')}</span>
      </div>
      {/* The words say what it shows. */}
      <svg
        className={styles.cells}
        viewBox={`0 0 ${cells.length} ${STRIP_HEIGHT}`}
        preserveAspectRatio="none"
        aria-hidden="true"
      >
        {MARKS.map(({ className, barOf, meaning }) => (
          <path key={meaning} className={className} d={bars(cells, barOf)} />
        ))}
      </svg>
    </li>
  );
}

/** How long it was offline, and how much isn't known. */
function remarks(strip: UptimeStrip): string[] {
  const { uptime, onlineSeconds, measuredSeconds, unmeasuredSeconds } = strip;
  const offline = measuredSeconds - onlineSeconds;
  return [
    ...(uptime === null
      ? []
      : [offline === 0 ? 'never offline' : `offline for ${spanText(offline)}`]),
    ...(unmeasuredSeconds > 0 ? [`not measured: ${spanText(unmeasuredSeconds)}`] : []),
  ];
}

/** The marks of a strip, each with a cell that has it. */
const MARKS = [
  { className: styles.online, barOf: onlineBar, cell: '9', meaning: 'online' },
  { className: styles.offline, barOf: offlineMark, cell: '0', meaning: 'offline' },
  {
    className: styles.unmeasured,
    barOf: unmeasuredMark,
    cell: '?',
    meaning: 'not measured: the service itself was away',
  },
];

function Legend() {
  return (
    <p className={`${styles.legend} ${text.secondary}`}>
      {MARKS.map(({ className, barOf, cell, meaning }) => (
        <span key={meaning}>
          <svg
            className={styles.key}
            viewBox={`0 0 6 ${STRIP_HEIGHT}`}
            preserveAspectRatio="none"
            aria-hidden="true"
          >
            <rect className={className} x="0" width="6" {...barOf(cell)} />
          </svg>
          {meaning}
        </span>
      ))}
    </p>
  );
}
