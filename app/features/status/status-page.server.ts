import type { LoaderFunctionArgs } from '@remix-run/node';

/** GET /status: the state of the service and of Genesis, now and over the last 24 hours. */
export const loadStatus = ({ context }: LoaderFunctionArgs) => context.services.status.summary();
