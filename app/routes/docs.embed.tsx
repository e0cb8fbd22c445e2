export { EmbedDocsPage as default, embedDocs as handle } from '#app/features/docs/embed-page.tsx';
export { docsMeta as meta } from '#app/features/docs/docs-layout.tsx';
