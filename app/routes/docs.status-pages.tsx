export {
  StatusPagesPage as default,
  statusPagesDocs as handle,
} from '#app/features/docs/status-pages-page.tsx';
export { docsMeta as meta } from '#app/features/docs/docs-layout.tsx';
