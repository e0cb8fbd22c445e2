import type { FakeClock } from '../support/fake-clock.ts';
import type { TestServer } from '../support/server.ts';

/** How time passes for what is counted by the quarter of an hour. */

export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const QUARTER = 15 * MINUTE;
export const DAY = 96 * QUARTER;
/** Servers note this often that they are up, milliseconds; a bit less often than a real one. */
export const NOTE = 45 * SECOND;

/** Lets time pass for servers that are up, until a moment (ms). */
export async function runUntil(
  clock: FakeClock,
  until: number,
  ...servers: TestServer[]
): Promise<void> {
  while (clock.now < until) {
    clock.advance(Math.min(NOTE, until - clock.now));
    for (const { services } of servers) await services.uptime.tick();
  }
}

/** The moment (ms) at which the quarter that has begun is recorded. */
export const recorded = (clock: FakeClock) =>
  clock.now - (clock.now % QUARTER) + QUARTER + 5 * SECOND;
