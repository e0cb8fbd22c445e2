export { AreaPage as default, areaDocs as handle } from '#app/features/docs/area-page.tsx';
export { docsMeta as meta } from '#app/features/docs/docs-layout.tsx';
export { loadArea as loader } from '#app/features/docs/docs-pages.server.ts';
