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
  freshness.start();
  // That it counts once, test/contract/replays.test.ts tries with a database.
  const checks = { freshness, spend: () => Promise.resolve() };
  return (proof: ReturnType<typeof signEnvelope>, expected: ExpectedProof = CLAIM) =>
    verifyNodeProof(checks, proof, expected);
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

test('a proof is for host and port of its network, whatever the scheme, and for no other text', async () => {
  const verify = verifier();
  const of = (network: string) => signNodeProof({ ...CLAIM, network }, key, NOW);
  for (const network of ['http://mesh.example.org', 'https://mesh.example.org:443/'])
    expect(await verify(of(network))).toBe(nodeKeyText(key));
  for (const network of ['https://mesh.example.org:8443', 'mesh.example.org', ''])
    await refused(verify(of(network)), 'for another network');
  await refused(verify(of('none'), { ...CLAIM, network: '' }), 'for another network');
  await expect(verify(of(CLAIM.network), { ...CLAIM, network: null })).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining('PUBLIC_URL') as string,
  });
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
