export {
  OperatorsPage as default,
  operatorsDocs as handle,
} from '#app/features/docs/operators-page.tsx';
export { docsMeta as meta } from '#app/features/docs/docs-layout.tsx';
export { loadOperators as loader } from '#app/features/docs/docs-pages.server.ts';
