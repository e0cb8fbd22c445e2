import type { MetaFunction } from '@remix-run/node';
import { IdentityPage, identityDocs as handle } from '#app/features/docs/identity-page.tsx';
import { docsMeta } from '#app/features/docs/docs-page.ts';

export { handle };

export const meta: MetaFunction = ({ matches }) => docsMeta(handle, matches);

export default IdentityPage;
