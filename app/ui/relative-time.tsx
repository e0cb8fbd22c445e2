import { ago, exact, useTextAt } from '#app/lib/clock.ts';

/** A moment as "4 s ago", kept current while the page is open; the exact time on hover and for machines. */
export function RelativeTime({ at }: { at: string }) {
  const text = useTextAt((now) => ago(Date.parse(at), now));
  return (
    <time dateTime={at} title={exact(at)}>
      {text}
    </time>
  );
}
