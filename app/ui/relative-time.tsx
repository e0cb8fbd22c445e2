import { ago, exact, useTextAt } from '#app/lib/clock.ts';

/** A moment: relative, and true for as long as the page is open; exact on hover and for machines. */
export function When({ at }: { at: string }) {
  const text = useTextAt((now) => ago(Date.parse(at), now));
  return (
    <time dateTime={at} title={exact(at)}>
      {text}
    </time>
  );
}
