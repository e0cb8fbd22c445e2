import { useContext } from 'react';
import { dateAndTime, exact, exactLocal, PageMoment, useTextAt, zoneOf } from '#app/lib/clock.ts';
import { ago } from '#app/lib/clock.ts';
import { useHydrated } from '#app/lib/use-hydrated.ts';

const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const DAY_MS = 86_400_000;

/** "Wed 25 Nov, 17:20 CET", in the visitor's time zone, in UTC on hover and without scripts. Today has no date: "today at 17:20 CET". */
export function DayAndTime({ at }: { at: string }) {
  const hydrated = useHydrated();
  const now = new Date(useContext(PageMoment)).toISOString();
  const [date, time] = dateAndTime(at, hydrated);
  const zone = zoneOf(at, hydrated);
  const moment = new Date(at);
  const weekday = DAYS[hydrated ? moment.getDay() : moment.getUTCDay()];
  const year = at.slice(0, 4) === now.slice(0, 4) ? '' : ` ${at.slice(0, 4)}`;
  return (
    <time dateTime={at} title={hydrated ? exact(at) : undefined}>
      {dateAndTime(now, hydrated)[0] === date && year === ''
        ? `today at ${time} ${zone}`
        : `${weekday} ${date}${year}, ${time} ${zone}`}
    </time>
  );
}

/** "12 min ago" within a day, {@link DayAndTime} before that. */
export function When({ at }: { at: string }) {
  const hydrated = useHydrated();
  const text = useTextAt((now) => (now - Date.parse(at) < DAY_MS ? ago(Date.parse(at), now) : ''));
  if (text === '') return <DayAndTime at={at} />;
  return (
    <time dateTime={at} title={hydrated ? `${exactLocal(at)} (${exact(at)})` : exact(at)}>
      {text}
    </time>
  );
}
