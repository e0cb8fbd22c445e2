import { createHash } from 'node:crypto';

/** A small file as an answer, with an ETag of its bytes; 304 if the client has it. @param headers without the length */
export function answerFile(
  request: Request,
  body: string,
  { 'content-type': type, ...headers }: Record<string, string> & { 'content-type': string },
): Response {
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`;
  if (hasTag(request, etag))
    return new Response(null, { status: 304, headers: { etag, ...headers } });
  return new Response(body, {
    headers: {
      etag,
      ...headers,
      'content-type': type,
      'content-length': String(Buffer.byteLength(body)),
    },
  });
}

/** Whether the client has what this tag stands for. */
export const hasTag = (request: Request, etag: string): boolean =>
  (request.headers.get('if-none-match') ?? '')
    .split(',')
    .some((tag) => tag.trim().replace(/^W\//, '') === etag);
