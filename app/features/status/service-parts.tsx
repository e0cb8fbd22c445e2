import type { ReactNode } from 'react';
import type { StatusSummary } from '#server/status/index.ts';
import { useTextAt } from '#app/lib/clock.ts';
import { count } from '#app/lib/formatters.ts';
import { Section } from '#app/ui/section.tsx';
import { StateGlyph } from '#app/ui/state-glyph.tsx';
import { duration, useTimes, type Sign, type Times } from './labels.ts';
import styles from './service-parts.module.css';

interface Part {
  name: string;
  /** What a visitor knows it as. */
  about: string;
  sign: Sign;
  state: ReactNode;
  detail?: ReactNode;
}

interface ServicePartsProps {
  status: StatusSummary;
  /** Whether the service doesn't respond, so that nothing is known of its parts. */
  stale: boolean;
  className?: string | undefined;
}

/** What works and what doesn't, part by part, in the visitor's words. */
export function ServiceParts({ status, stale, className }: ServicePartsProps) {
  const times = useTimes();
  const parts = partsOf(status, times);
  return (
    <Section title="What works" className={className}>
      <ul className={styles.parts}>
        {(stale ? parts.map(unknown) : parts).map(({ name, about, sign, state, detail }) => (
          <li key={name}>
            <StateGlyph state={sign} size={16} />
            <div>
              <h3>{name}</h3>
              <p>{about}</p>
            </div>
            <div className={styles.state}>
              <strong>{state}</strong>
              {detail && <p>{detail}</p>}
            </div>
          </li>
        ))}
      </ul>
    </Section>
  );
}

const unknown = ({ name, about }: Part): Part => ({
  name,
  about,
  sign: 'unknown',
  state: 'Unknown at the moment',
});

/** "2 heartbeats" */
const counted = (n: number, noun: string) => `${count(n)} ${noun}${n === 1 ? '' : 's'}`;

function partsOf(status: StatusSummary, times: Times): Part[] {
  const { service, readModel, heartbeats } = status;
  const away = service.database === 'down';
  const down = away || service.storage === 'full';
  const since = `since ${times.full(readModel.updatedAt)}`;
  /** Sign and state of a part that writes. */
  const writing = (works: string, fails: string): Pick<Part, 'sign' | 'state'> =>
    down
      ? { sign: 'offline', state: away ? `${fails} ${since}` : fails }
      : { sign: 'online', state: works };
  return [
    {
      name: 'Map, directory and registry',
      about: 'What this site and its API show.',
      ...(service.degraded
        ? { sign: 'idle', state: `Out of date ${since}` }
        : { sign: 'online', state: 'Up to date' }),
    },
    {
      name: 'Heartbeats and announcements',
      about: 'What nodes report: that they are there, and what they offer.',
      ...writing('Received', 'Rejected'),
      detail: down
        ? 'Nodes keep retrying.'
        : heartbeats
          ? `${counted(heartbeats.pings, 'heartbeat')} and ${counted(heartbeats.announces, 'announcement')} a minute`
          : 'Counting the first minute',
    },
    {
      name: 'Registrations',
      about: 'Registering a name, and reporting its payment.',
      ...writing('Open', 'Paused'),
      ...(down && { detail: 'Nothing is lost: try again later.' }),
    },
    genesisPart(status),
  ];
}

function genesisPart({ genesis, history }: StatusSummary): Part {
  const { label, configured, status, since, latencyMs } = genesis;
  const part = { name: label, about: 'The peer through which new ones join the network.' };
  if (!configured) return { ...part, sign: 'unknown', state: 'Not checked' };
  if (status === 'unknown') return { ...part, sign: 'unknown', state: 'First check in progress' };
  const online = status === 'online';
  return {
    ...part,
    sign: online ? 'online' : 'offline',
    state: (
      <>
        {online ? 'Reachable' : 'Not responding'}{' '}
        {since ? <Lasting since={since} /> : <Lasting since={history.since} least />}
      </>
    ),
    ...(online && latencyMs !== null && { detail: `Last response in ${count(latencyMs)} ms` }),
  };
}

/** "for 6 h 13 min", or "for at least" that long if it began before the history does. */
function Lasting({ since, least = false }: { since: string | null; least?: boolean }) {
  const spell = useTextAt((now) => (since ? duration(now - Date.parse(since)) : ''));
  return spell && `for ${least ? 'at least ' : ''}${spell}`;
}
