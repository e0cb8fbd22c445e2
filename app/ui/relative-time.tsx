import { ago, exact, exactLocal, useTextAt } from '#app/lib/clock.ts';
import { useHydrated } from '#app/lib/use-hydrated.ts';

/** A moment as "4 s ago", kept current. On hover the exact time, in the visitor's time zone and in UTC. */
export function RelativeTime({ at }: { at: string }) {
  const hydrated = useHydrated();
  const text = useTextAt((now) => ago(Date.parse(at), now));
  return (
    <time dateTime={at} title={hydrated ? localAndUtc(at) : exact(at)}>
      {text}
    </time>
  );
}

function localAndUtc(at: string): string {
  const [local, utc] = [exactLocal(at), exact(at)];
  return local === utc ? utc : `${local} (${utc})`;
}
