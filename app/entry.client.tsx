import { RemixBrowser } from '@remix-run/react';
import { startTransition, StrictMode } from 'react';
import { hydrateRoot } from 'react-dom/client';
import { askAgainWhenBusy } from '#app/lib/ask-again.client.ts';
import { readInitialData } from '#app/lib/remix-workarounds/read-initial-data.client.ts';
import { readDataWhole } from '#app/lib/remix-workarounds/read-data-whole.client.ts';

askAgainWhenBusy();
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
