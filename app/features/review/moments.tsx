import { exact, useTextAt } from '#app/lib/clock.ts';
import { RelativeTime } from '#app/ui/moment.tsx';
import text from '#app/ui/text.module.css';
import { duration } from './labels.ts';
import { ReviewerName } from './reviewer-name.tsx';

/** How long something has waited, kept current; since when, on hover. */
export function Waiting({ since }: { since: string }) {
  const waited = useTextAt((now) => duration(now - Date.parse(since)));
  return (
    <time dateTime={since} title={`since ${exact(since)}`}>
      {waited}
    </time>
  );
}

/** When something was done, and by whom. */
export const Since = ({ at, by }: { at: string; by: string }) => (
  <>
    <RelativeTime at={at} />{' '}
    <span className={text.secondary}>
      by <ReviewerName email={by} />
    </span>
  </>
);

/** How long a decision can be undone: "for 3 s". Without scripts, which count the seconds, "until 12:03:10 UTC". */
export function UndoUntil({ at }: { at: string }) {
  const remaining = useTextAt((now) => {
    const seconds = Math.ceil((Date.parse(at) - now) / 1000);
    return `for ${Math.max(seconds, 0)} s`;
  });
  return (
    <>
      <span className="needs-scripts">{remaining}</span>
      <time className="without-scripts" dateTime={at}>
        until {exact(at).slice(11)}
      </time>
    </>
  );
}
