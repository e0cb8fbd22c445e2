export { TrpcPage as default, trpcDocs as handle } from '#app/features/docs/trpc-page.tsx';
export { docsMeta as meta } from '#app/features/docs/docs-layout.tsx';
