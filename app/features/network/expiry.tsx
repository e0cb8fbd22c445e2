import { roughly } from '#app/lib/duration.ts';
import { ExactTime } from '#app/ui/exact-time.tsx';

/** When a document expires, and how long that is from the moment of the page. */
export function Expiry({ expires, at }: { expires: string; at: string }) {
  const left = Date.parse(expires) - Date.parse(at);
  return (
    <>
      <ExactTime at={expires} />, {left > 0 ? `in ${roughly(left)}` : `${roughly(-left)} ago`}
    </>
  );
}
