/** How long a node must be silent until that is recorded as an outage, milliseconds. On the map it is offline after 60 s. */
export const OUTAGE_AFTER_MS = 300_000;
/** How long outages that have ended are stored, milliseconds. */
export const OUTAGE_KEPT_MS = 90 * 86_400_000;
