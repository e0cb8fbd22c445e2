import { createHash } from 'node:crypto';

/** A small file as an answer, with an ETag of its bytes; 304 if the client has it. @param headers without the length */
export function answerFile(
  request: Request,
  body: string,
  { 'content-type': type, ...headers }: Record<string, string> & { 'content-type': string },
): Response {
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`;
  const known = request.headers.get('if-none-match') ?? '';
  if (known.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag))
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
