import type { LoaderFunctionArgs } from '@remix-run/node';
import { DocsLayout } from '#app/features/docs/docs-layout.tsx';
import type { DocsContext } from '#app/features/docs/docs-page.ts';
import { areaLinks } from '#app/features/docs/reference.server.ts';

export function loader({ context }: LoaderFunctionArgs): DocsContext {
  const { config } = context.services;
  return {
    areas: areaLinks(context),
    origin: context.origin(),
    credential: config.webhookSecrets.length > 0,
    credentialRequired: config.production,
    coordinateGrid: config.coordinateGrid,
    computeFreshMs: config.computeFreshMs,
    holdMs: config.holdMs,
    feeUsd: (config.feeCents / 100).toFixed(2),
    keysPinnedAtFirstUse: config.nodeKeys === 'first-use',
    listsActivatedOnly: config.computeListing === 'activated',
  };
}

/** The settings don't change while the service runs. */
export const shouldRevalidate = () => false;

export default DocsLayout;
