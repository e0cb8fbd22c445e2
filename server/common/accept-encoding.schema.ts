/** How the bytes of an answer may be sent, as Content-Encoding names it. */
export type Encoding = 'identity' | 'br' | 'gzip';

/** Smaller answers are not worth compressing, bytes. */
export const COMPRESS_FROM = 1024;

/** The best encoding that the client accepts: br before gzip, and identity if it accepts neither. */
export function preferredEncoding(header: string | null): Encoding {
  if (header === null) return 'identity';
  const weights = new Map<string, number>();
  for (const part of header.toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map((piece) => piece.trim());
    const q = parameters.find((parameter) => parameter.startsWith('q='));
    weights.set(name, q === undefined ? 1 : Number(q.slice(2)) || 0);
  }
  const weight = (name: string) => weights.get(name) ?? weights.get('*') ?? 0;
  const br = weight('br');
  const gzip = weight('gzip');
  if (br === 0 && gzip === 0) return 'identity';
  return br >= gzip ? 'br' : 'gzip';
}
