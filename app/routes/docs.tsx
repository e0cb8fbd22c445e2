import { loadDocs } from '#app/features/docs/docs-pages.server.ts';
import { DocsLayout } from '#app/features/docs/docs-layout.tsx';

export const loader = loadDocs;

/** The settings don't change while the service runs. */
export const shouldRevalidate = () => false;

export default DocsLayout;
