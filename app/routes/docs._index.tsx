export {
  OverviewPage as default,
  overviewDocs as handle,
} from '#app/features/docs/overview-page.tsx';
export { docsMeta as meta } from '#app/features/docs/docs-layout.tsx';
export { loadOverview as loader } from '#app/features/docs/docs-pages.server.ts';
