// Signed heartbeats for the load generator. Most are made before the load begins: signing takes longer than sending.
import { createPrivateKey, generateKeyPairSync, hash, randomBytes, sign } from 'node:crypto';

/** More than one process of the service verifies in a second. */
const PREPARED_PER_SECOND = 8000;

export class SignedRequests {
  #options;
  #keys;
  #prepared;

  /** @param {{ path: string, head: string, nodes: number, makePing: (n: number) => string, seconds: number }} options */
  constructor(options) {
    this.#options = options;
    this.#keys = Array.from({ length: options.nodes }, () => {
      // As texts: on Node 20, exporting many generated keys as they are can wait for ever.
      const { privateKey, publicKey } = generateKeyPairSync('ed25519', {
        publicKeyEncoding: { type: 'spki', format: 'der' },
        privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
      });
      // The key itself is the end of its encoding.
      const keyid = publicKey.subarray(-32).toString('base64url');
      return { privateKey: createPrivateKey(privateKey), keyid };
    });
    const count = Math.ceil(options.seconds * PREPARED_PER_SECOND);
    this.#prepared = Array.from({ length: count }, () => this.#make());
  }

  next() {
    return this.#prepared.pop() ?? this.#make();
  }

  #make() {
    const { path, head, nodes, makePing } = this.#options;
    const n = Math.floor(Math.random() * nodes);
    const { privateKey, keyid } = this.#keys[n];
    const body = makePing(n);
    const digest = `sha-256=:${hash('sha256', body, 'base64')}:`;
    const nonce = randomBytes(18).toString('base64url');
    const created = Math.floor(Date.now() / 1000);
    const input = `("@method" "@path" "content-digest");created=${created};nonce="${nonce}";keyid="${keyid}";tag="mesh-node"`;
    const base = `"@method": POST\n"@path": ${path}\n"content-digest": ${digest}\n"@signature-params": ${input}`;
    const signature = sign(null, Buffer.from(base), privateKey).toString('base64');
    return Buffer.from(
      [
        `POST ${path} HTTP/1.1`,
        `${head}content-digest: ${digest}`,
        `signature-input: node=${input}`,
        `signature: node=:${signature}:`,
        `content-length: ${body.length}`,
        '',
        body,
      ].join('\r\n'),
    );
  }
}
