/** Which nodes a reviewer removes, as the page has it in its URL. Without zod, because the browser uses it too. */

/** Most nodes that are removed at once: it takes a few seconds. */
export const REMOVED_AT_ONCE = 5000;
export const MATCH_MAX = 100;

export interface RemovalFilter {
  /** A node's id or label, in which `*` stands for any text; empty: any. */
  match: string;
  /** Only nodes that were not heard of since this day (UTC), such as `2026-11-20`; empty: any. */
  silentSince: string;
}
