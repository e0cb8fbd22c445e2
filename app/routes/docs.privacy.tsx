export { PrivacyPage as default, privacyDocs as handle } from '#app/features/docs/privacy-page.tsx';
export { docsMeta as meta } from '#app/features/docs/docs-layout.tsx';
