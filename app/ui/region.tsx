import { regionText } from '#app/lib/formatters.ts';

/** A region's code with its name: "DE (Germany)". */
export function Region({ code }: { code: string }) {
  // The server and the browser may know a country by different names, such as Turkey and Türkiye.
  return <span suppressHydrationWarning>{regionText(code)}</span>;
}
