import type { LoaderFunctionArgs, MetaFunction } from '@remix-run/node';
import { AreaPage, areaDocs as handle, type AreaData } from '#app/features/docs/area-page.tsx';
import { referenceOf } from '#app/features/docs/reference.server.ts';
import { docsMeta } from '#app/features/docs/docs-page.ts';

export { handle };

/** GET /docs/mesh and the other areas of the REST API. */
export function loader({ params, context }: LoaderFunctionArgs): AreaData {
  const area = referenceOf(context).areas.find(({ path }) => path === `/docs/${params['area']}`);
  // Remix shows its error page for a thrown response.
  // oxlint-disable-next-line typescript/only-throw-error
  if (!area) throw new Response(null, { status: 404, statusText: 'Not Found' });
  return { area };
}

export const meta: MetaFunction = ({ matches }) => docsMeta(handle, matches);

export default AreaPage;
