import type { PageHandle } from '#app/lib/page-handle.ts';

export const handle: PageHandle = { shared: true };

export { DocsLayout as default } from '#app/features/docs/docs-layout.tsx';
export { loadDocs as loader } from '#app/features/docs/docs-pages.server.ts';

/** The settings don't change while the service runs. */
export const shouldRevalidate = () => false;
