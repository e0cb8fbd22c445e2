import { expect, test } from 'vitest';
import { signEnvelope } from '@mesh-registry/protocol/keys/dsse.ts';
import { generateNodeKey, nodeKeyText } from '@mesh-registry/protocol/keys/node-key.ts';
import { NODE_PROOF_TYPE } from '@mesh-registry/protocol/keys/node-key.schema.ts';
import { signNodeProof } from '@mesh-registry/protocol/keys/node-signature.ts';
import { Freshness } from './freshness.ts';
import { verifyNodeProof, type ExpectedProof } from './node-proof.ts';

const NOW = 1_784_289_790_000;
const CLAIM = {
  action: 'confirm',
  network: 'https://mesh.example.org',
  nodeId: 'node_macmini',
  name: 'garage',
  id: 'reg_1',
} satisfies ExpectedProof;
const key = generateNodeKey();

const verifier = () => {
  const freshness = new Freshness(
    () => NOW,
    () => {},
  );
  return (
    proof: ReturnType<typeof signEnvelope>,
    expected: ExpectedProof = CLAIM,
    request?: string,
  ) => verifyNodeProof(freshness, proof, expected, request);
};
const refused = (proof: Promise<unknown>, words: string) =>
  expect(proof).rejects.toMatchObject({
    code: 'signature_invalid',
    message: expect.stringContaining(words) as string,
  });

test('a proof names the key that made it', async () => {
  expect(await verifier()(signNodeProof(CLAIM, key, NOW))).toBe(nodeKeyText(key));
});

test('a proof is for its own action, network, node, name and registration only', async () => {
  const verify = verifier();
  for (const field of ['network', 'nodeId', 'name', 'id'] as const)
    await refused(
      verify(signNodeProof({ ...CLAIM, [field]: 'other' }, key, NOW)),
      `for another ${field}`,
    );
  await refused(verify(signNodeProof({ ...CLAIM, action: 'cancel' }, key, NOW)), 'another action');
});

test('a proof counts once, or again with the same request', async () => {
  const verify = verifier();
  const proof = signNodeProof(CLAIM, key, NOW);
  await verify(proof);
  await refused(verify(proof), 'used before');
  const repeated = signNodeProof(CLAIM, key, NOW);
  for (let i = 0; i < 2; i++)
    expect(await verify(repeated, CLAIM, 'a request')).toBe(nodeKeyText(key));
  await refused(verify(repeated, CLAIM, 'another request'), 'used before');
  await refused(verify(repeated), 'used before');
  await refused(verify(proof, CLAIM, 'a request'), 'used before');
});

test('old proofs, other types, other payloads and several keys are refused', async () => {
  const verify = verifier();
  await refused(verify(signNodeProof(CLAIM, key, NOW - 301_000)), '301 s ago');
  await refused(verify(signEnvelope('text/plain', '{}', key)), 'payloadType');
  for (const payload of ['', '{}', 'null', JSON.stringify({ ...CLAIM, created: NOW / 1000 })])
    await refused(verify(signEnvelope(NODE_PROOF_TYPE, payload, key)), 'must be JSON with');
  const payload = JSON.stringify({ ...CLAIM, created: NOW / 1000, nonce: 'n'.repeat(16) });
  const both = signEnvelope(NODE_PROOF_TYPE, payload, key, generateNodeKey());
  await refused(verify(both), 'signed by one key');
  const proof = signNodeProof(CLAIM, key, NOW);
  const wrong = proof.signatures.map(({ sig }) => ({ sig, keyid: nodeKeyText(generateNodeKey()) }));
  await refused(verify({ ...proof, signatures: wrong }), 'does not fit');
});
