/** How far the clocks of a network may differ, milliseconds: what is signed further in the future is not believed. */
export const CLOCK_SKEW_MS = 300_000;
