import { createHash, randomBytes, sign, type KeyObject } from 'node:crypto';
import { request as httpRequest } from 'node:http';

/**
 * A client of RFC 9421 and RFC 9530 that shares no code with ours: it writes the signature base by hand, as the examples of
 * the RFCs do. So a mistake that our signer and our verifier had in common would show.
 */

export interface ToSign {
  method: string;
  path: string;
  authority: string;
  /** The bytes as they go over the wire; null: none. */
  body: Uint8Array | null;
  key: KeyObject;
  /** Seconds since 1970. */
  created: number;
  nonce?: string;
  /** Default: everything that the service asks for. */
  components?: string[];
  /** The public key as text, where it is not that of `key`. */
  keyid?: string;
}

export function signByHand({
  method,
  path,
  authority,
  body,
  key,
  created,
  nonce = randomBytes(18).toString('base64url'),
  components = ['@method', '@path', '@authority', ...(body ? ['content-digest'] : [])],
  keyid = key.export({ format: 'jwk' }).x ?? '',
}: ToSign): Record<string, string> {
  const digest = body && `sha-256=:${createHash('sha256').update(body).digest('base64')}:`;
  const values: Record<string, string> = {
    '@method': method,
    '@path': path,
    '@authority': authority,
    ...(digest && { 'content-digest': digest }),
  };
  const covered = components.map((name) => `"${name}"`).join(' ');
  const parameters = `(${covered});created=${created};nonce="${nonce}";keyid="${keyid}";tag="mesh-node"`;
  const base = [
    ...components.map((name) => `"${name}": ${values[name] ?? ''}`),
    `"@signature-params": ${parameters}`,
  ].join('\n');
  return {
    ...(digest && { 'content-digest': digest }),
    'signature-input': `node=${parameters}`,
    signature: `node=:${sign(null, Buffer.from(base), key).toString('base64')}:`,
  };
}

/** Sends exactly these bytes and headers, `host` among them if it is given: fetch() allows neither. */
export function sendRaw(
  url: string,
  method: string,
  body: Uint8Array | null,
  headers: Record<string, string>,
): Promise<{ status: number; headers: Headers; json: Record<string, unknown> }> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      url,
      {
        method,
        headers: {
          ...(body && {
            'content-type': 'application/json',
            ...(!('transfer-encoding' in headers) && { 'content-length': String(body.length) }),
          }),
          ...headers,
        },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString();
          resolve({
            status: response.statusCode ?? 0,
            headers: new Headers(response.headers as Record<string, string>),
            json: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>),
          });
        });
      },
    );
    request.on('error', reject);
    request.end(body ?? undefined);
  });
}
