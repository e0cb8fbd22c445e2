export { HomePage as default, homeDocs as handle } from '#app/features/docs/home-page.tsx';
export { docsMeta as meta } from '#app/features/docs/docs-layout.tsx';
export { loadHome as loader } from '#app/features/docs/home.server.ts';
