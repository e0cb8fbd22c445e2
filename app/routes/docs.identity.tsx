export {
  IdentityPage as default,
  identityDocs as handle,
} from '#app/features/docs/identity-page.tsx';
export { docsMeta as meta } from '#app/features/docs/docs-layout.tsx';
