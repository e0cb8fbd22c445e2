import { useId, useMemo, useSyncExternalStore } from 'react';
import type { MeshStore } from '#app/features/live/live-store.ts';
import { exact, exactLocal } from '#app/lib/clock.ts';
import { count } from '#app/lib/formatters.ts';
import * as hrefs from '#app/lib/hrefs.ts';
import { useHydrated } from '#app/lib/use-hydrated.ts';
import button from '#app/ui/button.module.css';
import { axisDates, nodesFinding } from '#app/ui/chart-text.ts';
import { Link } from '#app/ui/link.tsx';
import { Spark } from '#app/ui/spark.tsx';
import { meshHref, type MeshQuery } from '#server/mesh/mesh-query.schema.ts';
import type { Growth } from '#server/uptime/index.ts';
import { BARS, BARS_HEIGHT, barsPath, BAR_STEP, beatsText } from './beats.ts';
import styles from './life-line.module.css';
import { useLife, type LoadedLife } from './use-life.ts';

export interface LifeLineProps {
  store: MeshStore;
  loaded: LoadedLife;
  /** How many nodes there are now. */
  total: number;
  query: MeshQuery;
}

/** Below the map: that the network lives, and that it grows. */
export function LifeLine({
  store,
  loaded,
  total,
  query,
  inSheet,
}: LifeLineProps & { inSheet?: true }) {
  const { bars, today } = useLife(store, loaded, total);
  const { growth } = loaded;
  const beats = beatsText(bars);
  return (
    <section
      className={`${styles.life} needs-scripts`}
      data-place={inSheet ? 'sheet' : 'stage'}
      aria-label="Activity"
    >
      <div className={styles.beats}>
        <p>
          <b>{beats ?? '–'}</b> {beats === '1' ? 'heartbeat' : 'heartbeats'} a second
        </p>
        <BeatBars path={barsPath(bars)} />
      </div>
      <div className={styles.today}>
        <p>
          <b>
            {today.joined > 0 && '+'}
            {count(today.joined)}
          </b>{' '}
          joined today
        </p>
        <p className={styles.note}>
          {today.left !== null && `${count(today.left)} left, `}since{' '}
          <DayBegan at={growth.today.since} />
        </p>
      </div>
      <History growth={growth} total={total} />
      <ReplayLink query={query} days={growth.days.nodes.length} />
    </section>
  );
}

/** The same in the sheet of a phone or tablet; nothing beside a map that has the line below it. */
export function LifeInSheet(props: LifeLineProps) {
  const isSheet = useSyncExternalStore(
    followSheet,
    () => matchMedia(SHEET).matches,
    () => false,
  );
  return isSheet && <LifeLine {...props} inSheet />;
}

/** As `--sheet` in the styles. */
const SHEET = '(max-width: 1023px)';

function followSheet(changed: () => void): () => void {
  const list = matchMedia(SHEET);
  list.addEventListener('change', changed);
  return () => list.removeEventListener('change', changed);
}

function BeatBars({ path }: { path: string }) {
  const id = useId();
  const width = BARS * BAR_STEP;
  return (
    <svg className={styles.bars} viewBox={`0 0 ${width} ${BARS_HEIGHT}`} aria-hidden>
      <linearGradient id={id} gradientUnits="userSpaceOnUse" x2={width}>
        <stop className={styles.old} offset="0" />
        <stop className={styles.new} offset="1" />
      </linearGradient>
      <path d={path} stroke={`url(#${id})`} strokeWidth="1.6" />
    </svg>
  );
}

/** "01:00 CET": when the UTC day began, in the visitor's time zone. */
function DayBegan({ at }: { at: string }) {
  const hydrated = useHydrated();
  const time = (hydrated ? exactLocal : exact)(at, 'minute').slice(11);
  return (
    <time dateTime={at} title={hydrated ? exact(at) : undefined}>
      {time}
    </time>
  );
}

/** The nodes of the last 90 days, as a link to all trends. */
function History({ growth: { days, today }, total }: { growth: Growth; total: number }) {
  const { from, nodes, before } = days;
  const isKnown = nodes.length > 1;
  const dates = useMemo(() => {
    const first = Date.parse(from ?? '');
    const texts = nodes.map((_, n) => new Date(first + n * 86_400_000).toISOString().slice(0, 10));
    return axisDates(texts, today.since.slice(0, 10));
  }, [from, nodes, today.since]);
  return (
    <Link className={styles.history} to={hrefs.trends()}>
      <span className={styles.caption}>
        {/* Today's figure is the one of now, as everywhere on this page. */}
        <span>
          {isKnown ? nodesFinding([...nodes.slice(0, -1), total], before) : 'No history yet'}
        </span>
        <span className={styles.more}>
          Trends
          <svg viewBox="0 0 20 20" width="12" height="12" aria-hidden>
            <path d="M8 5l5 5l-5 5" fill="none" stroke="currentColor" strokeWidth="1.5" />
          </svg>
        </span>
      </span>
      <span className={styles.plot} data-known={isKnown}>
        {isKnown && <Spark values={nodes} height={33} dot />}
      </span>
      <span className={styles.dates}>
        {isKnown ? (
          dates.map((date, n) => <span key={n}>{date}</span>)
        ) : (
          <span>The first point comes tonight</span>
        )}
      </span>
    </Link>
  );
}

/** How the network grew, on the map. @param props.days that have a step */
function ReplayLink({ query, days }: { query: MeshQuery; days: number }) {
  const span = days > 1 ? '90d' : '24h';
  return (
    <Link
      className={`${button.button} ${styles.replay} needs-scripts`}
      to={meshHref({ ...query, view: 'map', node: null, at: null, replay: { span, at: null } })}
      preventScrollReset
    >
      <svg viewBox="0 0 20 20" width="16" height="16" aria-hidden>
        <path d="M7 4.5l9 5.5l-9 5.5z" fill="currentColor" />
      </svg>
      Replay<span className={styles.span}> {span === '90d' ? '90 days' : '24 hours'}</span>
    </Link>
  );
}
