import { RemixBrowser } from '@remix-run/react';
import { startTransition, StrictMode } from 'react';
import { hydrateRoot } from 'react-dom/client';
import { askAgainWhenBusy } from '#app/lib/ask-again.client.ts';
import { followRelease } from '#app/lib/follow-release.client.ts';
import { NetworkContext, networkOfPage } from '#app/lib/network.tsx';
import { RequestIdContext, requestIdOfPage } from '#app/lib/request-id.tsx';
import { readInitialData } from '#app/lib/remix-workarounds/read-initial-data.client.ts';
import { readDataWhole } from '#app/lib/remix-workarounds/read-data-whole.client.ts';

followRelease();
askAgainWhenBusy();
readDataWhole();
await readInitialData();

const network = networkOfPage();
const requestId = requestIdOfPage();

startTransition(() => {
  hydrateRoot(
    document,
    <StrictMode>
      <NetworkContext.Provider value={network}>
        <RequestIdContext.Provider value={requestId}>
          <RemixBrowser />
        </RequestIdContext.Provider>
      </NetworkContext.Provider>
    </StrictMode>,
  );
});
