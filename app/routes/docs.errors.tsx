import type { MetaFunction } from '@remix-run/node';
import { loadErrors } from '#app/features/docs/docs-pages.server.ts';
import { ErrorsPage, errorsDocs as handle } from '#app/features/docs/errors-page.tsx';
import { docsMeta } from '#app/features/docs/docs-page.ts';

export { handle };

export const loader = loadErrors;

export const meta: MetaFunction = ({ matches }) => docsMeta(handle, matches);

export default ErrorsPage;
