import type { AppLoadContext } from '@remix-run/node';

/** What the page of the network shows. */
export const loadNetwork = (context: AppLoadContext) => ({
  origin: context.origin(),
  network: context.services.truth.summary(),
  log: logOf(context),
});

/** Where the log of this service ends; null: it writes none. The process that writes it logs what is wrong with it. */
function logOf({ services }: AppLoadContext) {
  try {
    return services.registryLog.head();
  } catch {
    return 'unreadable' as const;
  }
}
