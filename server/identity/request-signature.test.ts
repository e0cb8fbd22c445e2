import { sign } from 'node:crypto';
import { createSignatureSync } from 'http-message-sig';
import { expect, test } from 'vitest';
import { generateNodeKey, nodeKeyText } from '@mesh-registry/protocol/keys/node-key.ts';
import { contentDigest, signRequest } from '@mesh-registry/protocol/keys/node-signature.ts';
import { Freshness, type SignatureOutcome } from './freshness.ts';
import { RequestSignatures } from './request-signature.ts';

const NOW = 1_784_289_790_000;
const URL_OF_PING = new URL('http://127.0.0.1:3000/api/mesh/ping?dry=1');
const BODY = '{"nodeId":"node_macmini"}';
const key = generateNodeKey();

function setUp(clock = () => NOW) {
  const outcomes: SignatureOutcome[] = [];
  const signatures = new RequestSignatures(
    new Freshness(clock, (outcome) => outcomes.push(outcome)),
  );
  const signer = async (
    headers: Record<string, string>,
    {
      method = 'POST',
      url = URL_OF_PING.href,
      body = BODY,
      authorityIsOptional = false,
    }: { method?: string; url?: string; body?: string | null; authorityIsOptional?: boolean } = {},
  ) => {
    const signing = signatures.signer(
      { method, url, header: (name) => headers[name] ?? null },
      body === null ? null : Buffer.from(body),
      () => ({ origin: URL_OF_PING.origin, authorityIsOptional }),
    );
    return signing && (await signing).key;
  };
  return { signer, outcomes };
}

const signed = (now = NOW, body: string | null = BODY, method = 'POST') =>
  signRequest({ method, url: URL_OF_PING, body }, key, now);

/** Signed by the library, with other parameters than ours. */
function signedWith(
  parameters: { alg?: string } & Record<string, string | number | undefined>,
  components = ['@method', '@path', '@authority', 'content-digest'],
  label = 'node',
) {
  const digest = contentDigest(BODY);
  const made = createSignatureSync(
    {
      kind: 'request',
      method: 'POST',
      targetUri: URL_OF_PING.href,
      fields: [{ name: 'content-digest', value: digest }],
    },
    {
      label,
      components,
      parameters: {
        created: NOW / 1000,
        nonce: 'nonce-of-16-chars',
        keyid: nodeKeyText(key),
        tag: 'mesh-node',
        ...parameters,
      },
      signer: {
        algorithm: parameters.alg ?? 'ed25519',
        sign: (data) => sign(null, data, key),
      },
    },
  );
  return {
    'content-digest': digest,
    'signature-input': made.signatureInput,
    signature: made.signature,
  };
}

test('a signed request names its key, with a body and without', async () => {
  const { signer } = setUp();
  expect(await signer(signed())).toBe(nodeKeyText(key));
  expect(await signer(signed(NOW, null, 'DELETE'), { method: 'DELETE', body: null })).toBe(
    nodeKeyText(key),
  );
});

test('a request without a signature of ours is not signed, whatever else is', async () => {
  const { signer, outcomes } = setUp();
  expect(await signer({})).toBeNull();
  expect(await signer(signedWith({ tag: 'web-bot-auth' }))).toBeNull();
  expect(await signer({ 'signature-input': 'garbage', signature: 'garbage' })).toBeNull();
  expect(outcomes).toEqual([]);
});

test('a signature may have any label, the algorithm, and another signature beside it', async () => {
  const { signer } = setUp();
  expect(
    await signer(signedWith({ alg: 'ed25519', nonce: 'a'.repeat(16) }, undefined, 'sig1')),
  ).toBe(nodeKeyText(key));
  const ours = signedWith({ nonce: 'b'.repeat(16) });
  const theirs = signedWith({ tag: 'web-bot-auth' }, ['@method'], 'proxy');
  const both = {
    ...ours,
    'signature-input': `${theirs['signature-input']}, ${ours['signature-input']}`,
    signature: `${theirs.signature}, ${ours.signature}`,
    'content-digest': `sha-512=:AAAA:, ${ours['content-digest']}`,
  };
  // The digest header as it is was not signed.
  await expect(signer(both)).rejects.toMatchObject({ code: 'signature_invalid' });
  expect(await signer({ ...both, 'content-digest': ours['content-digest'] })).toBe(
    nodeKeyText(key),
  );
});

test.each([
  [301, '301 s ago'],
  [-301, '301 s in the future'],
])(
  'a signature of %i s ago is refused, and the message tells how far the clocks differ',
  async (ageS, words) => {
    const { signer, outcomes } = setUp();
    expect(await signer(signed(NOW - Math.sign(ageS) * 300_000))).toBe(nodeKeyText(key));
    await expect(signer(signed(NOW - ageS * 1000))).rejects.toThrow(words);
    expect(outcomes).toEqual(['clock']);
  },
);

test.each<[string, Record<string, string | number | undefined>, string]>([
  ['an expired signature', { expires: NOW / 1000 - 1 }, 'has expired'],
  ['another algorithm', { alg: 'hmac-sha256' }, 'algorithm ed25519'],
  ['a short nonce', { nonce: 'short' }, '16 to 64'],
  ['no nonce', { nonce: undefined }, 'must cover'],
  ['no moment', { created: undefined }, 'must cover'],
  ['a keyid that is no key', { keyid: 'my-key' }, '43 characters'],
])('%s is refused', async (_, parameters, words) => {
  const { signer } = setUp();
  await expect(signer(signedWith(parameters))).rejects.toMatchObject({
    code: 'signature_invalid',
    message: expect.stringContaining(words) as string,
  });
});

test.each([
  [['@method', '@path']],
  [['@method', '@authority', 'content-digest']],
  [['@method', '@path', 'content-digest']],
  [['@method', '@path', '@query', 'content-digest']],
  [['@method', '@path', '@authority', 'content-digest', '@query']],
])(
  'a signature over %j is refused: it covers too little, or what a proxy may change',
  async (components) => {
    const { signer } = setUp();
    await expect(signer(signedWith({}, components))).rejects.toThrow(
      'must cover "@method" "@path"',
    );
  },
);

test('a refusal names its cause: a header that is covered too, a label of another signature, no signature', async () => {
  const { signer } = setUp();
  const covering = (name: string) => {
    const made = signed();
    return {
      ...made,
      [name]: 'application/json',
      'signature-input': (made['signature-input'] ?? '').replace(')', ` "${name}")`),
    };
  };
  for (const name of ['content-type', 'x-other', 'content-length'])
    await expect(signer(covering(name))).rejects.toThrow('and nothing else');
  const [ours, theirs] = [
    signedWith({}, undefined, 'sig1'),
    signedWith({ tag: 'web-bot-auth' }, ['@method'], 'proxy'),
  ];
  const both = (other: typeof ours) => ({
    ...ours,
    'signature-input': `${other['signature-input']}, ${ours['signature-input']}`,
    signature: `${other.signature}, ${ours.signature}`,
  });
  const ofSeveral = 'Of several signatures, the one of the node has the label "node"';
  await expect(signer(both(theirs))).rejects.toThrow(ofSeveral);
  const named = signedWith({ tag: 'web-bot-auth' }, ['@method'], 'node');
  await expect(signer(both(named))).rejects.toThrow(ofSeveral);
  await expect(signer({ ...both(theirs), signature: ours.signature })).rejects.toThrow(
    'must have the same labels',
  );
  const { signature: _, ...unsigned } = signed();
  await expect(signer(unsigned)).rejects.toThrow('Send the header Signature as well');
});

test('a change of any signed part is refused', async () => {
  const { signer } = setUp();
  const refused = (request: Promise<unknown>) =>
    expect(request).rejects.toMatchObject({ code: 'signature_invalid' });
  await refused(signer(signed(), { method: 'PUT' }));
  await refused(signer(signed(), { url: 'http://127.0.0.1:3000/api/registry/computes' }));
  await refused(signer(signed(), { body: `${BODY} ` }));
  await refused(signer({ ...signed(), 'content-digest': contentDigest('{}') }));
  const { 'content-digest': _, ...undigested } = signed();
  await refused(signer(undigested));
  const { signature: __, ...unsigned } = signed();
  await refused(signer(unsigned));
  await refused(signer({ ...signed(), signature: signed().signature ?? '' }));
  // A request without a body cannot be given one.
  await refused(signer(signed(NOW, null)));
});
