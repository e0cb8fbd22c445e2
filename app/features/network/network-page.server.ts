import type { AppLoadContext, LoaderFunctionArgs } from '@remix-run/node';

/** GET /network: the signed root and truth as this service has checked them, and where its log ends. */
export const loadNetwork = ({ context }: LoaderFunctionArgs) => ({
  origin: context.origin(),
  network: context.services.truth.summary(),
  log: logOf(context),
});

/**
 * Where the log of this service ends; null if it writes none. What makes the log unreadable is reported by the process
 * that writes it.
 */
function logOf({ services }: AppLoadContext) {
  try {
    return services.registryLog.head();
  } catch {
    return 'unreadable' as const;
  }
}
