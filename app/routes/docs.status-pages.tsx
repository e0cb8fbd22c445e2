import type { MetaFunction } from '@remix-run/node';
import {
  StatusPagesPage,
  statusPagesDocs as handle,
} from '#app/features/docs/status-pages-page.tsx';
import { docsMeta } from '#app/features/docs/docs-page.ts';

export { handle };

export const meta: MetaFunction = ({ matches }) => docsMeta(handle, matches);

export default StatusPagesPage;
