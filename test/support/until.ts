import { setTimeout as sleep } from 'node:timers/promises';

/** For a machine under heavy load: what tests wait for takes a second or two. */
const PATIENCE_MS = 60_000;

/** Resolves when `condition` holds; fails with what it was waiting for. */
export async function until(
  what: string,
  condition: () => boolean | Promise<boolean>,
  limitMs = PATIENCE_MS,
): Promise<void> {
  const deadline = performance.now() + limitMs;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`${what}: not within ${limitMs / 1000} s`);
    await sleep(20);
  }
}
