import { RemixBrowser } from '@remix-run/react';

/**
 * Waits until Remix 2 has the page's data. It starts to read on the first call of RemixBrowser, and throws a promise to
 * suspend the root. A click or a key press in that moment would stop the hydration permanently: React 18 throws ("Root
 * did not complete", error 345). It can go once a browser test that presses a key while the page hydrates
 * passes without it, on React 19.
 */
export async function readInitialData(): Promise<void> {
  try {
    RemixBrowser({});
  } catch (reading) {
    await reading;
  }
}
