import type { MetaFunction } from '@remix-run/node';
import { OperatorsPage, operatorsDocs as handle } from '#app/features/docs/operators-page.tsx';
import { loadOperators } from '#app/features/docs/docs-pages.server.ts';
import { docsMeta } from '#app/features/docs/docs-page.ts';

export { handle };

export const loader = loadOperators;

export const meta: MetaFunction = ({ matches }) => docsMeta(handle, matches);

export default OperatorsPage;
