import { exact, exactLocal, type Precision } from '#app/lib/clock.ts';
import { useHydrated } from '#app/lib/use-hydrated.ts';

export interface ExactTimeProps {
  /** ISO 8601 */
  at: string;
  precision?: Precision;
}

/** A moment in the visitor's time zone, in UTC on hover. Without scripts it is UTC. */
export function ExactTime({ at, precision }: ExactTimeProps) {
  const hydrated = useHydrated();
  return (
    <time dateTime={at} title={hydrated ? exact(at) : undefined}>
      {hydrated ? exactLocal(at, precision) : exact(at, precision)}
    </time>
  );
}
