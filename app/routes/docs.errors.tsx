import type { LoaderFunctionArgs, MetaFunction } from '@remix-run/node';
import {
  ErrorsPage,
  errorsDocs as handle,
  type ErrorsData,
} from '#app/features/docs/errors-page.tsx';
import { referenceOf } from '#app/features/docs/reference.server.ts';
import { docsMeta } from '#app/features/docs/docs-page.ts';

export { handle };

export function loader({ context }: LoaderFunctionArgs): ErrorsData {
  const { errors, errorBody } = referenceOf(context);
  return { errors, errorBody };
}

export const meta: MetaFunction = ({ matches }) => docsMeta(handle, matches);

export default ErrorsPage;
