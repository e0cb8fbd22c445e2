import type { LoaderFunctionArgs, MetaFunction } from '@remix-run/node';
import { ReferencePage, referenceDocs as handle } from '#app/features/docs/reference-page.tsx';
import { referenceOf } from '#app/features/docs/reference.server.ts';
import { docsMeta } from '#app/features/docs/docs-page.ts';

export { handle };

export const loader = ({ context }: LoaderFunctionArgs) => ({ reference: referenceOf(context) });

export const meta: MetaFunction = ({ matches }) => docsMeta(handle, matches);

export default ReferencePage;
