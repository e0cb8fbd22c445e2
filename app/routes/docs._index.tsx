import type { MetaFunction } from '@remix-run/node';
import { loadOverview } from '#app/features/docs/docs-pages.server.ts';
import { OverviewPage, overviewDocs as handle } from '#app/features/docs/overview-page.tsx';
import { docsMeta } from '#app/features/docs/docs-page.ts';

export { handle };

export const loader = loadOverview;

export const meta: MetaFunction = ({ matches }) => docsMeta(handle, matches);

export default OverviewPage;
