import { RemixBrowser } from '@remix-run/react';
import { startTransition, StrictMode } from 'react';
import { hydrateRoot } from 'react-dom/client';
import { readDataWhole } from '#app/lib/remix-workarounds/read-data-whole.client.ts';

readDataWhole();
await readInitialData();

startTransition(() => {
  hydrateRoot(
    document,
    <StrictMode>
      <RemixBrowser />
    </StrictMode>,
  );
});

/**
 * Waits until Remix has the page's data. It starts to read on the first call of RemixBrowser, and throws a
 * promise to suspend the root. A click or a key press in that moment would stop the hydration permanently: React
 * 18 throws ("Root did not complete", error 345).
 */
async function readInitialData(): Promise<void> {
  try {
    RemixBrowser({});
  } catch (reading) {
    await reading;
  }
}
