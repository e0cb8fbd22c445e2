import { verify } from 'node:crypto';
import { expect, test } from 'vitest';
import { DsseEnvelope } from './dsse.schema.ts';
import { openEnvelope, signEnvelope } from './dsse.ts';
import { generateNodeKey, nodeKeyFromText, nodeKeyText } from './node-key.ts';
import { NODE_PROOF_TYPE, NodeProof } from './node-key.schema.ts';
import { signNodeProof } from './node-signature.ts';

const [key, other] = [generateNodeKey(), generateNodeKey()];

test('the signature is over type and payload as DSSE 1.0 puts them together', () => {
  // The example of the specification.
  const envelope = signEnvelope('http://example.com/HelloWorld', 'hello world', key);
  const signed = Buffer.from('DSSEv1 29 http://example.com/HelloWorld 11 hello world');
  const [signature] = envelope.signatures;
  expect(envelope.payload).toBe('aGVsbG8gd29ybGQ=');
  expect(signature?.keyid).toBe(nodeKeyText(key));
  const publicKey = nodeKeyFromText(signature?.keyid ?? '');
  expect(
    publicKey && verify(null, signed, publicKey, Buffer.from(signature?.sig ?? '', 'base64')),
  ).toBe(true);
});

test('an envelope opens with the distinct keys that have signed it', async () => {
  const envelope = signEnvelope('text', 'tëxt', key, other, key);
  expect(DsseEnvelope.parse(envelope)).toEqual(envelope);
  const opened = await openEnvelope(envelope, 'text');
  expect(opened?.payload.toString()).toBe('tëxt');
  expect(opened?.signers).toEqual(new Set([nodeKeyText(key), nodeKeyText(other)]));
});

test('a signature counts only for its type, its payload and its key', async () => {
  const envelope = signEnvelope('text', 'true', key);
  const [signature = { keyid: '', sig: '' }] = envelope.signatures;
  const signers = async (changed: Partial<DsseEnvelope>, type = 'text') =>
    (await openEnvelope({ ...envelope, ...changed }, type))?.signers.size;
  expect(await signers({})).toBe(1);
  expect(await signers({}, 'other')).toBeUndefined();
  expect(await signers({ payloadType: 'other' }, 'other')).toBe(0);
  expect(await signers({ payload: Buffer.from('false').toString('base64') })).toBe(0);
  expect(await signers({ signatures: [{ ...signature, keyid: nodeKeyText(other) }] })).toBe(0);
  expect(await signers({ signatures: [{ ...signature, keyid: 'none' }] })).toBe(0);
  expect(await signers({ signatures: [{ ...signature, sig: '' }] })).toBe(0);
});

test('a proof holds what was given, the moment and a nonce of its own', async () => {
  const claim = {
    action: 'start',
    network: 'https://mesh.example.org',
    name: 'garage',
    nodeId: 'node_macmini',
  } as const;
  const made = [signNodeProof(claim, key, 1_784_289_790_500), signNodeProof(claim, key)];
  const proofs = await Promise.all(
    made.map(async (envelope) => {
      const opened = await openEnvelope(envelope, NODE_PROOF_TYPE);
      return NodeProof.parse(JSON.parse(opened?.payload.toString() ?? ''));
    }),
  );
  expect(proofs[0]).toMatchObject({ ...claim, created: 1_784_289_790 });
  expect(proofs[0]?.nonce).not.toBe(proofs[1]?.nonce);
});
