import { useLoaderData } from '@remix-run/react';
import type { NameDetails } from '#server/registry/index.ts';
import type { DayStrip } from '#server/uptime/index.ts';
import { LivePage } from '#app/features/live/connection-status.tsx';
import { useFollowed } from '#app/features/live/use-followed.ts';
import { NoHistory, Outages } from '#app/features/mesh/node-outages.tsx';
import { Place } from '#app/features/mesh/place-map.tsx';
import { UptimeDays } from '#app/features/uptime/uptime-days.tsx';
import { dateAndTime, dateName } from '#app/lib/clock.ts';
import * as hrefs from '#app/lib/hrefs.ts';
import { count, counted, percent } from '#app/lib/formatters.ts';
import type { Connection } from '#app/lib/polling.ts';
import type { MaybeStale } from '#app/lib/stale-while-offline.ts';
import { useHydrated } from '#app/lib/use-hydrated.ts';
import button from '#app/ui/button.module.css';
import columns from '#app/ui/columns.module.css';
import { FollowLink } from '#app/ui/follow-link.tsx';
import { MapIcon } from '#app/ui/icons.tsx';
import { KindIcon } from '#app/ui/kind-icon.tsx';
import { KIND_LABEL } from '#app/ui/kind-shapes.ts';
import { Link } from '#app/ui/link.tsx';
import { DayOf, ExactTime } from '#app/ui/moment.tsx';
import { Section } from '#app/ui/section.tsx';
import { TitleRow } from '#app/ui/title-row.tsx';
import { nameStatus } from './badge.ts';
import { NameDetails as Details } from './name-details.tsx';
import type { NameEvent } from './name-history.ts';
import styles from './name-page.module.css';
import type { loadName } from './name-page.server.ts';
import { NameVacancy } from './name-vacancy.tsx';
import { NameVerdicts } from './name-verdicts.tsx';
import { Share } from './share.tsx';

type Loaded = ReturnType<typeof useLoaderData<typeof loadName>>;
type Active = Extract<Loaded, { entry: object }>;

/** A name as it is now: what was loaded, and what its event stream brings. */
function useLiveName(loaded: Loaded & MaybeStale): { loaded: Loaded; connection: Connection } {
  const { details, connection } = useFollowed<NameChange>(loaded, {
    procedure: 'registry.nameChanges',
    subject: { name: loaded.name },
    pollMs: null,
    follows: loaded.entry !== null || loaded.vacancy !== 'invalid',
    frameOf,
  });
  // One that became active, or is no longer, is another page.
  if (!details || !details.entry !== !loaded.entry) return { loaded, connection };
  return { loaded: { ...loaded, ...details } as Loaded, connection };
}

type NameChange = NameDetails;

/** What the page shows around the live values: history, place, badges, and who else may register it. */
const frameOf = ({ entry, peer, taken }: NameChange) =>
  JSON.stringify([
    entry && [entry.activatedAt, entry.kinds, entry.nodeId, nameStatus(entry)],
    peer && [peer.lat, peer.lng, peer.status === 'offline'],
    taken,
  ]);

/** A name: its current state, its history and where it is; or whether it is available. */
export function NamePage() {
  const { loaded, connection } = useLiveName(useLoaderData<typeof loadName>());
  return (
    <LivePage connection={connection} updatedAt={loaded.updatedAt}>
      {loaded.entry ? (
        <ActiveName loaded={loaded} />
      ) : (
        <>
          <TitleRow title={loaded.name} />
          <NameVacancy {...loaded} />
        </>
      )}
    </LivePage>
  );
}

function ActiveName({ loaded }: { loaded: Active }) {
  const { name, entry, origin, peer, compute, outages, history, historyTotal } = loaded;
  const [newest] = outages && outages !== 'unavailable' ? outages.latest : [];
  return (
    <>
      <TitleRow
        title={name}
        under={<Under entry={entry} label={peer || entry.label === name ? null : entry.label} />}
        actions={<Actions loaded={loaded} />}
      />
      <NameVerdicts entry={entry} peer={peer} compute={compute} lastOutage={newest?.to ?? null} />
      <div className={columns.columns}>
        <div className={styles.column}>
          {outages === 'unavailable' ? (
            <NoHistory />
          ) : (
            outages && (
              <>
                <Days loaded={loaded} outages={outages} />
                <Outages
                  outages={outages}
                  days={outages.days}
                  span={isWhole(entry, outages.days) ? 'in 90 days' : sinceWords(entry)}
                  allHref={hrefs.nameHistory(name)}
                />
              </>
            )
          )}
          <History name={name} events={history} total={historyTotal} />
        </div>
        <div className={styles.column}>
          {peer && <Place at={peer} map={loaded.map} grid={loaded.grid} status={peer.status} />}
          <Share entry={entry} origin={origin} states={loaded.badges} />
          <Details
            entry={entry}
            compute={compute}
            registered={loaded.registered}
            similar={loaded.similar}
            announced={loaded.announced}
          />
        </div>
      </div>
    </>
  );
}

interface UnderProps {
  entry: Active['entry'];
  /** What was registered; null where its node says what it is called. */
  label: string | null;
}

/** The line under the title: the kinds, since when, and its label. */
const Under = ({ entry: { kinds, activatedAt }, label }: UnderProps) => (
  <span className={styles.under}>
    {kinds.map((kind) => (
      <span key={kind} className={styles.kind}>
        <KindIcon kind={kind} /> {KIND_LABEL[kind]}
      </span>
    ))}
    <span>
      Active since <DayOf at={activatedAt} />
    </span>
    {label !== null && <span>{label}</span>}
  </span>
);

const Actions = ({ loaded: { name, peer } }: { loaded: Active }) => (
  <>
    {peer && (
      <Link className={button.button} to={hrefs.map({ node: peer.id })}>
        <MapIcon />
        Show on map
      </Link>
    )}
    <FollowLink href={hrefs.nameFeed(name)} />
  </>
);

/** Whether the name has been active on all days of a strip. */
const isWhole = ({ activatedAt }: Active['entry'], days: DayStrip) =>
  activatedAt.slice(0, 10) < days.first;
const sinceWords = ({ activatedAt }: Active['entry']) => `since ${dateName(activatedAt)}`;

function Days({
  loaded: { entry, share },
  outages: { days, total },
}: {
  loaded: Active;
  outages: Exclude<Active['outages'], 'unavailable' | null>;
}) {
  const whole = isWhole(entry, days);
  const since = sinceWords(entry);
  const many = total === 0 ? 'no outages' : counted(total, 'outage');
  return (
    <UptimeDays
      title={`Uptime of its node${whole ? ', 90 days' : ` ${since}`}`}
      days={days}
      summary={
        <>
          {share !== null && (
            <>
              <strong className={styles.share}>{percent(share)}</strong>,{' '}
            </>
          )}
          {many}
        </>
      }
      label={`${whole ? '90 days' : since}: ${share === null ? '' : `${percent(share)} online, `}${many}`}
    />
  );
}

interface HistoryProps {
  name: string;
  events: NameEvent[];
  total: number;
}

/** What happened to the name, from its activation on. */
function History({ name, events, total }: HistoryProps) {
  return (
    <Section
      title="History"
      aside={
        total > events.length && (
          <Link to={hrefs.nameHistory(name)} preventScrollReset>
            All {count(total)} entries
          </Link>
        )
      }
    >
      <ol className={styles.history}>
        {events.map(({ at, text }) => (
          <li key={`${at} ${text}`}>
            <EventTime at={at} />
            <span>{text}</span>
          </li>
        ))}
      </ol>
    </Section>
  );
}

/** "18 Nov, 03:15" in the visitor's zone; in full on hover. */
function EventTime({ at }: { at: string }) {
  const hydrated = useHydrated();
  if (!hydrated) return <ExactTime at={at} precision="minute" />;
  const [date, time] = dateAndTime(at, true);
  return (
    <time dateTime={at} title={at}>
      {date}, {time}
    </time>
  );
}
