import { createHash } from 'node:crypto';
import { COMPRESS_FROM, preferredEncoding } from '#server/common/accept-encoding.schema.ts';
import type { Reply } from '#server/entry/rest/endpoint.ts';
import type { EndpointRequest } from '#server/http/endpoint-request.ts';
import type { Answer, Encoded } from '#server/live/index.ts';

export const JSON_TYPE = 'application/json; charset=utf-8';

/**
 * Replies with prepared bytes and their ETag: 304 if the client has them, compressed if it accepts that.
 * @param base headers of the endpoint
 */
export function replyWith(
  request: EndpointRequest,
  answer: Answer,
  base: Record<string, string>,
): Reply | Promise<Reply> {
  const vary = 'accept-encoding';
  const known = request.header('if-none-match');
  if (known !== null && matches(known, answer.etag))
    return { status: 304, headers: { ...base, vary, etag: answer.etag }, body: null };
  const headers: Record<string, string> = { ...base, 'content-type': JSON_TYPE, vary };
  const encoding =
    answer.size >= COMPRESS_FROM
      ? preferredEncoding(request.header('accept-encoding'))
      : 'identity';
  const encoded = answer.in(encoding);
  return encoded instanceof Promise
    ? encoded.then((encoded) => reply(encoded, headers))
    : reply(encoded, headers);
}

function reply({ body, etag, encoding }: Encoded, headers: Record<string, string>): Reply {
  if (encoding !== 'identity') headers['content-encoding'] = encoding;
  headers['etag'] = etag;
  headers['content-length'] = String(body.length);
  return { status: 200, headers, body };
}

/** If-None-Match compares weakly: W/"x" and "x" are the same tag. */
function matches(header: string, etag: string): boolean {
  const opaque = (tag: string) => tag.trim().replace(/^W\//, '');
  return (
    header === etag ||
    header.trim() === '*' ||
    header.split(',').some((tag) => opaque(tag) === opaque(etag))
  );
}

/** An answer made for one request: small, never compressed, tagged by the hash of its bytes. */
export function answerOf(json: object): Answer {
  const body = Buffer.from(JSON.stringify(json));
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`;
  return { etag, size: body.length, in: () => ({ etag, body, encoding: 'identity' }) };
}
