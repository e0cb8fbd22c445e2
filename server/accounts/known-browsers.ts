import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

export type KnownBrowsers = ReturnType<typeof createKnownBrowsers>;

/** How long a browser is known after its last sign-in, seconds. */
const MAX_AGE_SECONDS = 180 * 86_400;
/** Accounts that one browser can be known to; the oldest is forgotten first. */
const MAX_ACCOUNTS = 5;

/** A random id, and for each account the proof that this id belongs to it. Neither names anybody. */
const VALUE = /^([\w-]{22})((?:\.[\w-]{43}){1,5})$/;

/**
 * A browser that has signed in to an account keeps a cookie that proves it, so that wrong passwords from
 * elsewhere cannot lock its owner out. It opens nothing: a sign-in still needs the password.
 * @param options.secure whether cookies are sent over https only
 */
export function createKnownBrowsers({ secret, secure }: { secret: string; secure: boolean }) {
  // A key of its own: nothing signed with it can pass for a session, or the other way round.
  const key = createHmac('sha256', secret).update('known browsers').digest();
  const name = `${secure ? '__Secure-' : ''}mesh.known_browser`;

  const proofOf = (id: string, email: string) =>
    createHmac('sha256', key).update(`${id} ${email.trim().toLowerCase()}`).digest('base64url');
  const read = (headers: Headers) => {
    const pairs = (headers.get('cookie') ?? '').split(/; */);
    const value = pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
    const [, id, proofs] = VALUE.exec(value ?? '') ?? [];
    return id === undefined ? null : { id, proofs: (proofs ?? '').split('.').slice(1) };
  };

  return {
    /** The browser's random id if it has signed in to this account before, else null. @param email as it was sent */
    find(headers: Headers, email: string): string | null {
      const cookie = read(headers);
      if (!cookie) return null;
      const proof = Buffer.from(proofOf(cookie.id, email));
      return cookie.proofs.some((given) => timingSafeEqual(Buffer.from(given), proof))
        ? cookie.id
        : null;
    },
    /** The `Set-Cookie` line after a sign-in. @param headers of the request */
    remember(headers: Headers, email: string): string {
      const { id, proofs } = read(headers) ?? {
        id: randomBytes(16).toString('base64url'),
        proofs: [],
      };
      const proof = proofOf(id, email);
      const all = [proof, ...proofs.filter((other) => other !== proof)].slice(0, MAX_ACCOUNTS);
      return [
        `${name}=${[id, ...all].join('.')}`,
        `Max-Age=${MAX_AGE_SECONDS}`,
        'Path=/review',
        'HttpOnly',
        ...(secure ? ['Secure'] : []),
        'SameSite=Strict',
      ].join('; ');
    },
  };
}
