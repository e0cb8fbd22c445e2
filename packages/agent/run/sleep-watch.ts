import type { Clock } from './clock.ts';

/** How often the clocks are compared, milliseconds. */
const EVERY_MS = 5000;
/** A machine under load may be this late, milliseconds, without having slept. */
const TOLERANCE_MS = 15_000;

/**
 * Notices that the machine's clock has jumped: timers stand still while a laptop sleeps, and go on where they were
 * when it wakes. Runs until the signal aborts.
 * @param onJump with the jump in milliseconds; negative if the clock was set back
 */
export async function watchForSleep(
  clock: Clock,
  signal: AbortSignal,
  onJump: (ms: number) => void,
): Promise<void> {
  while (!signal.aborted) {
    const before = clock.now();
    await clock.sleep(EVERY_MS, signal);
    const jump = clock.now() - before - EVERY_MS;
    if (!signal.aborted && Math.abs(jump) > TOLERANCE_MS) onJump(jump);
  }
}
