export { ErrorsPage as default, errorsDocs as handle } from '#app/features/docs/errors-page.tsx';
export { docsMeta as meta } from '#app/features/docs/docs-layout.tsx';
export { loadErrors as loader } from '#app/features/docs/docs-pages.server.ts';
