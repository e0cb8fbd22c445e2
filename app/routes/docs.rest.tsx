export { RestPage as default, restDocs as handle } from '#app/features/docs/rest-page.tsx';
export { docsMeta as meta } from '#app/features/docs/docs-layout.tsx';
export { loadRest as loader } from '#app/features/docs/docs-pages.server.ts';
