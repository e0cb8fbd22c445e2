import { data, type LoaderFunctionArgs } from '@remix-run/node';
import type { RequestContext } from '#server/entry/context.ts';
import { oneEdit } from '#server/common/one-edit.schema.ts';
import { docsPaths } from '#app/features/docs/reference.server.ts';
import * as hrefs from '#app/lib/hrefs.ts';
import type { Instead, Nearest } from '#app/ui/missing-page.tsx';

/** GET of any other address: a 404, with what may have been meant. */
export function loadMissing({ params, context }: LoaderFunctionArgs) {
  const { services } = context;
  const stats = services.mesh.stats();
  const instead: Instead = {
    nearest: nearestTo(context, params['*'] ?? ''),
    nodes: stats.peers,
    online: stats.online,
    names: services.names.index.size,
  };
  return data(instead, { status: 404 });
}

/** Pages with an address of their own, beside the documentation. */
const PAGES = [
  hrefs.computes(),
  hrefs.compare(),
  hrefs.registry(),
  hrefs.trends(),
  hrefs.register(),
  hrefs.status(),
  hrefs.search(),
];

/** Characters of the pages' addresses. */
const LETTERS = 'abcdefghijklmnopqrstuvwxyz-/';
/** No page has an address that is longer. */
const LONGEST = 64;

/** @param path without the slash before it, decoded */
export function nearestTo(context: RequestContext, path: string): Nearest | null {
  const whole = `/${path.replace(/\/+$/, '')}`.toLowerCase();
  const page = whole.length > LONGEST ? null : nearPage(context, whole);
  if (page !== null) return { kind: 'page', title: page, href: page };
  const part = path.split('/').findLast((one) => one !== '') ?? '';
  const near = context.services.search.nearest.any(part);
  if (near === null) return null;
  const { kind, id } = near;
  return { kind, title: id, href: kind === 'name' ? hrefs.name(id) : hrefs.node(id) };
}

function nearPage(context: RequestContext, path: string): string | null {
  const pages = new Set([...PAGES, ...docsPaths(context)]);
  if (pages.has(path)) return path;
  // A letter of so few is no slip.
  if (path.length < 5) return null;
  for (const other of oneEdit(path, LETTERS)) if (pages.has(other)) return other;
  return null;
}
