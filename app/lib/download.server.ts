import type { TaggedFile } from '#server/entry/rest/engine.ts';

const CONTENT_TYPES = {
  csv: 'text/csv; charset=utf-8; header=present',
  json: 'application/json; charset=utf-8',
};

/** A file of what a page lists, which any site may read. @param at when it was right: its name has the day */
export const download = (
  name: string,
  at: string,
  format: keyof typeof CONTENT_TYPES,
  body: TaggedFile['body'],
): TaggedFile => ({
  contentType: CONTENT_TYPES[format],
  headers: {
    'content-disposition': `attachment; filename="${name}-${at.slice(0, 10)}.${format}"`,
    'cache-control': 'no-cache',
    'access-control-expose-headers': 'content-disposition, etag, retry-after, x-request-id',
  },
  body,
});
