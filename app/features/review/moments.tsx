import { exact, useTextAt } from '#app/lib/clock.ts';
import { RelativeTime } from '#app/ui/relative-time.tsx';
import { ReviewerName } from './reviewer-name.tsx';
import { duration } from './labels.ts';

/** How long something has waited, true for as long as the page is open; since when on hover. */
export function Waiting({ since }: { since: string }) {
  const text = useTextAt((now) => duration(now - Date.parse(since)));
  return (
    <time dateTime={since} title={`since ${exact(since)}`}>
      {text}
    </time>
  );
}

/** When something was done, and by whom. */
export const Since = ({ at, by }: { at: string; by: string }) => (
  <>
    <RelativeTime at={at} />{' '}
    <span className="secondary">
      by <ReviewerName email={by} />
    </span>
  </>
);

/** When a decision takes effect: "in 3 s", or at what time where no script counts the seconds. */
export function Until({ at }: { at: string }) {
  const text = useTextAt((now) => {
    const seconds = Math.ceil((Date.parse(at) - now) / 1000);
    return seconds > 0 ? `in ${seconds} s` : 'now';
  });
  return (
    <>
      <span className="until needs-scripts">{text}</span>
      <time className="without-scripts" dateTime={at}>
        at {exact(at).slice(11)}
      </time>
    </>
  );
}
