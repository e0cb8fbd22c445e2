import type { LoaderFunctionArgs, MetaFunction } from '@remix-run/node';
import { OverviewPage, overviewDocs as handle } from '#app/features/docs/overview-page.tsx';
import { overviewOf } from '#app/features/docs/reference.server.ts';
import { docsMeta } from '#app/features/docs/docs-page.ts';

export { handle };

export const loader = ({ context }: LoaderFunctionArgs) => ({ overview: overviewOf(context) });

export const meta: MetaFunction = ({ matches }) => docsMeta(handle, matches);

export default OverviewPage;
