import type { UptimeStrip } from '#server/history/index.ts';
import { Panel } from '#app/ui/panel.tsx';
import text from '#app/ui/text.module.css';
import type { LoadedUptime } from './node-uptime.server.ts';
import styles from './uptime-panel.module.css';
import { uptimePercent, remarks, WINDOW_LABEL } from './uptime-text.ts';

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
        <strong className={styles.share}>
          {uptime === null ? 'No data' : uptimePercent(uptime)}
        </strong>
        <span>
          {cells.startsWith(' ') ? 'since it joined, within ' : 'of the last '}
          {WINDOW_LABEL[window]}
        </span>
        <span className={`${styles.remarks} ${text.secondary}`}>{remarks(strip).join(' · ')}</span>
      </div>
      {/* The words say what it shows. */}
      <svg
        className={styles.cells}
        viewBox={`0 0 ${cells.length} ${HEIGHT}`}
        preserveAspectRatio="none"
        aria-hidden="true"
      >
        <path className={styles.online} d={bars(cells, onlineBar)} />
        <path className={styles.offline} d={bars(cells, offlineMark)} />
        <path className={styles.unmeasured} d={bars(cells, unmeasuredMark)} />
      </svg>
    </li>
  );
}

/** Bars stand on the line; what was offline is marked below it. */
const LINE = 22;
const HEIGHT = 30;

type Bar = { y: number; height: number } | null;

const onlineBar = (cell: string): Bar => {
  const share = Number(cell) / 9;
  // Even a short presence stays visible.
  const height = share > 0 ? 4 + (LINE - 4) * share : 0;
  return height > 0 ? { y: LINE - height, height } : null;
};
const offlineMark = (cell: string): Bar =>
  /[0-8]/.test(cell) ? { y: LINE + 2, height: HEIGHT - LINE - 2 } : null;
const unmeasuredMark = (cell: string): Bar => (cell === '?' ? { y: LINE - 3, height: 3 } : null);

/** One path for all cells of a kind. */
const bars = (cells: string, bar: (cell: string) => Bar): string =>
  Array.from(cells, (cell, n) => {
    const found = bar(cell);
    return found ? `M${n}.1 ${Math.round(found.y)}h.8v${Math.round(found.height)}h-.8z` : '';
  }).join('');

function Legend() {
  return (
    <p className={`${styles.legend} ${text.secondary}`}>
      <Key className={styles.online} bar={onlineBar('9')}>
        online
      </Key>
      <Key className={styles.offline} bar={offlineMark('0')}>
        offline
      </Key>
      <Key className={styles.unmeasured} bar={unmeasuredMark('?')}>
        not measured: the service itself was away
      </Key>
    </p>
  );
}

interface KeyProps {
  className: string | undefined;
  bar: Bar;
  children: string;
}

function Key({ className, bar, children }: KeyProps) {
  return (
    <span>
      <svg
        className={styles.key}
        viewBox={`0 0 6 ${HEIGHT}`}
        preserveAspectRatio="none"
        aria-hidden="true"
      >
        {bar && <rect className={className} x="0" width="6" {...bar} />}
      </svg>
      {children}
    </span>
  );
}
