import type { MetaFunction } from '@remix-run/node';
import { AreaPage, areaDocs as handle } from '#app/features/docs/area-page.tsx';
import { loadArea } from '#app/features/docs/docs-pages.server.ts';
import { docsMeta } from '#app/features/docs/docs-page.ts';

export { handle };

export const loader = loadArea;

export const meta: MetaFunction = ({ matches }) => docsMeta(handle, matches);

export default AreaPage;
