import type { MetaFunction } from '@remix-run/node';
import { OperatorsPage, operatorsDocs as handle } from '#app/features/docs/operators-page.tsx';
import { loadOperatorsPage } from '#app/features/docs/operators-page.server.ts';
import { docsMeta } from '#app/features/docs/docs-page.ts';

export { handle };

export const loader = loadOperatorsPage;

export const meta: MetaFunction = ({ matches }) => docsMeta(handle, matches);

export default OperatorsPage;
