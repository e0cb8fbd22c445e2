import {
  isSignatureError,
  verifySignature,
  type RequestDescriptor,
  type SignatureErrorCode,
  type UntrustedSignatureCandidate,
  type Verifier,
} from 'http-message-sig';
import { LRUCache } from 'lru-cache';
import { verify, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import { NONCE_PATTERN, NONCE_RULE } from '@mesh-registry/protocol/keys/node-key.schema.ts';
import { nodeKeyFromText } from '@mesh-registry/protocol/keys/node-key.ts';
import {
  AUTHORITY,
  contentDigest,
  SIGNATURE_ALGORITHM,
  SIGNATURE_LABEL,
  SIGNATURE_TAG,
  signedComponents,
} from '@mesh-registry/protocol/keys/node-signature.ts';
import { isAppError } from '#server/common/errors.schema.ts';
import type { RequestSigner } from '#server/context.ts';
import type { Freshness } from './freshness.ts';

/** Keys in memory; making one again takes 5 µs. */
const MAX_KEYS = 10_000;

/** A request as it came in. */
export interface SignedRequest {
  readonly method: string;
  /** The whole URL. Its host is what the client says. */
  readonly url: string;
  /** The value of a header, by its name in lower case; of several with that name, all of them with commas between. */
  header(name: string): string | null;
}

/** What a signature has to name. */
export interface SignatureRules {
  /** Scheme, host and port under which this service is reached. */
  origin: string;
  /** Whether it may leave out the authority. */
  authorityIsOptional?: boolean;
}

/** The signature of a request, once it is verified. */
export interface VerifiedRequest extends RequestSigner {
  /** Whether it covers the authority. */
  namesService: boolean;
}

const PARAMETERS = ['created', 'nonce', 'keyid', 'tag'];

/** The library looks at the time without a word on how far off it is; we do it in {@link RequestSignatures}. */
const ANY_TIME = { now: 0, clockSkew: Number.MAX_SAFE_INTEGER };

/** In the thread pool: it takes 60 µs. */
const verifyInPool = promisify(verify);

/** Checks the signatures of requests. */
export class RequestSignatures {
  /** The keys that signed lately, ready for use, by their text. */
  readonly #keys = new LRUCache<string, KeyObject>({ max: MAX_KEYS });

  constructor(private readonly freshness: Freshness) {}

  /**
   * Who has signed a request. Signatures with other tags than ours are none of our business.
   * @param body as it came in; null if there is none
   * @param rulesOf called for a signature of ours
   * @returns null, at once, for a request that no node has signed
   * @throws AppError `signature_invalid`, and what `rulesOf` throws
   */
  signer(
    request: SignedRequest,
    body: Uint8Array | null,
    rulesOf: () => SignatureRules,
  ): Promise<VerifiedRequest> | null {
    const input = request.header('signature-input');
    return input?.includes(`"${SIGNATURE_TAG}"`)
      ? this.#verify(request, input, body, rulesOf())
      : null;
  }

  async #verify(
    request: SignedRequest,
    input: string,
    body: Uint8Array | null,
    rules: SignatureRules,
  ): Promise<VerifiedRequest> {
    const digest = request.header('content-digest');
    const signature = request.header('signature');
    if (signature === null)
      throw this.freshness.refusal(
        'malformed',
        'Send the header Signature as well, with the signature that Signature-Input describes.',
      );
    if (body !== null) this.#requireDigest(digest, body);
    const message: RequestDescriptor = {
      kind: 'request',
      method: request.method,
      targetUri: new URL(pathOf(request.url), rules.origin).href,
      fields: [
        { name: 'signature-input', value: input },
        { name: 'signature', value: signature },
        // No other headers: a signature that covers one is refused, whether or not it was sent.
        ...(digest === null ? [] : [{ name: 'content-digest', value: digest }]),
      ],
    };
    const components = signedComponents(body !== null);
    const required = rules.authorityIsOptional
      ? components.filter((name) => name !== AUTHORITY)
      : components;
    const options = {
      policy: {
        algorithms: [SIGNATURE_ALGORITHM],
        requiredComponents: required,
        requiredParameters: PARAMETERS,
        ...ANY_TIME,
      },
      resolveVerifier: (candidate: UntrustedSignatureCandidate) =>
        this.#verifier(candidate, components, required),
    };
    let several = false;
    try {
      const { parameters, components: covered } = await verifySignature(message, options).catch(
        (error: unknown) => {
          if (!isSignatureError(error) || error.code !== 'LabelRequired') throw error;
          several = true;
          return verifySignature(message, { ...options, label: SIGNATURE_LABEL });
        },
      );
      const { created = 0, nonce = '', keyid = '' } = parameters;
      const namesService = covered.some(({ name }) => name === AUTHORITY);
      return { key: keyid, created, nonce, namesService };
    } catch (error) {
      throw this.#explain(error, { several, components, origin: rules.origin });
    }
  }

  #requireDigest(header: string | null, body: Uint8Array): void {
    const right = contentDigest(body);
    // Digests by other algorithms may be there as well.
    if (header === right || header?.split(',').some((digest) => digest.trim() === right)) return;
    throw this.freshness.refusal(
      header === null ? 'malformed' : 'wrong',
      header === null
        ? 'Send the digest of the body in the header "Content-Digest: sha-256=:<base64>:", and cover it with the signature.'
        : 'The header Content-Digest does not fit the body. Send the sha-256 digest of exactly the bytes of the body.',
    );
  }

  /** What is cheap to check comes before the signature itself. */
  #verifier(
    { components, parameters }: UntrustedSignatureCandidate,
    allowed: readonly string[],
    required: readonly string[],
  ) {
    const { created = 0, expires = Infinity, nonce = '', keyid = '', tag } = parameters;
    const malformed = (message: string) => this.freshness.refusal('malformed', message);
    if (tag !== SIGNATURE_TAG) throw malformed(OF_SEVERAL);
    const isAllowed =
      components.length === required.length ||
      (components.length === allowed.length &&
        components.every(({ name }) => allowed.includes(name)));
    if (!isAllowed) throw malformed(mustCover(allowed));
    if (!NONCE_PATTERN.test(nonce)) throw malformed(`The nonce ${NONCE_RULE}.`);
    const known = this.#keys.get(keyid);
    const key = known ?? nodeKeyFromText(keyid);
    if (!key)
      throw malformed(
        'The keyid must be the Ed25519 public key of the node: its 32 bytes in base64url, 43 characters.',
      );
    if (!known) this.#keys.set(keyid, key);
    this.freshness.requireRecent(created, expires);
    return {
      algorithm: SIGNATURE_ALGORITHM,
      verify: (data, signature) => verifyInPool(null, data, key, signature),
    } satisfies Verifier;
  }

  /** The error for a client: never the library's message. */
  #explain(
    error: unknown,
    about: { several: boolean; components: readonly string[]; origin: string },
  ): unknown {
    const { several, components, origin } = about;
    if (!isSignatureError(error)) return error;
    if (isAppError(error.cause)) return error.cause;
    return error.code === 'VerificationFailed'
      ? this.freshness.refusal(
          'wrong',
          `The signature does not fit the request. Sign the method, the path and the digest as they are sent, and the authority ${new URL(origin).host}, with the private key of keyid. If nodes reach this service under another address, its operator has to set PUBLIC_URL.`,
        )
      : this.freshness.refusal('malformed', malformation(error.code, several, components));
  }
}

/** The path and query of a URL whose host may be anything. */
const pathOf = (url: string): string => {
  const { pathname, search } = new URL(url);
  return `${pathname}${search}`;
};

const OF_SEVERAL = `Of several signatures, the one of the node has the label "${SIGNATURE_LABEL}" and the tag "${SIGNATURE_TAG}".`;

const mustCover = (components: readonly string[]) =>
  `The signature must cover ${components.map((name) => `"${name}"`).join(' ')} and nothing else, with the parameters ${PARAMETERS.join(', ')}, and the algorithm ${SIGNATURE_ALGORITHM} if it names one.`;

const MALFORMED =
  'The headers Signature-Input and Signature are malformed. Write them as RFC 9421 says.';
const EXPLAINED: Partial<Record<SignatureErrorCode, string>> = {
  MalformedField: MALFORMED,
  LabelMismatch: 'Signature-Input and Signature must have the same labels.',
  DuplicateLabel: MALFORMED,
};

/** What is wrong with a signature that cannot be checked, or with the choice of the one of several to check. */
function malformation(code: SignatureErrorCode, several: boolean, components: readonly string[]) {
  if (several && code === 'LabelMismatch') return OF_SEVERAL;
  const wrong = EXPLAINED[code] ?? mustCover(components);
  return several ? `${OF_SEVERAL} ${wrong}` : wrong;
}
