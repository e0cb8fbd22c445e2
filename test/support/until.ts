import { setTimeout as sleep } from 'node:timers/promises';
import { SLOW } from './slow.ts';

/** What tests wait for takes a second or two, milliseconds on an idle machine. */
const PATIENCE_MS = 10_000;

/** For `vi.waitFor`, whose own limit is a second. */
export const SOON = { timeout: PATIENCE_MS * SLOW, interval: 50 };

/**
 * Resolves when `condition` holds; fails with what it was waiting for.
 * @param limitMs milliseconds on an idle machine; SLOW multiplies them
 */
export async function until(
  what: string,
  condition: () => boolean | Promise<boolean>,
  limitMs = PATIENCE_MS,
): Promise<void> {
  const deadline = performance.now() + limitMs * SLOW;
  while (!(await condition())) {
    if (performance.now() > deadline)
      throw new Error(`${what}: not within ${(limitMs * SLOW) / 1000} s`);
    await sleep(20);
  }
}
