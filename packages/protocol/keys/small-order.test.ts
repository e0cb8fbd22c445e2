import { expect, test } from 'vitest';
import { forge, SMALL_ORDER_KEYS } from '../../../test/support/small-order.ts';
import { openEnvelope, signersAmong } from './dsse.ts';
import { nodeKeyFromText } from './node-key.ts';
import { keyObjectOfPeerId, peerIdOfKey } from './peer-id.ts';

const TYPE = 'text/plain';

/** The bytes that an envelope signs (PAE of DSSE 1.0). */
const signedBytes = (payload: Buffer) =>
  Buffer.concat([Buffer.from(`DSSEv1 ${TYPE.length} ${TYPE} ${payload.length} `), payload]);

test.each(SMALL_ORDER_KEYS)(
  'a signature under %s, which anybody can make, counts in no envelope, document, block or hello',
  async (keyid) => {
    const payloadOf = (n: number) => Buffer.from(`payload ${n}`);
    const { n, sig } = forge(keyid, (n) => signedBytes(payloadOf(n)));
    const envelope = {
      payloadType: TYPE,
      payload: payloadOf(n).toString('base64'),
      signatures: [{ keyid, sig: sig.toString('base64') }],
    };
    expect((await openEnvelope(envelope, TYPE))?.signers.size).toBe(0);
    expect(signersAmong(envelope, TYPE, [keyid]).size).toBe(0);
    expect(nodeKeyFromText(keyid)).toBeNull();
    expect(keyObjectOfPeerId(peerIdOfKey(keyid))).toBeNull();
  },
);

test('a coordinate that is not below the prime is no key, and the one before the prime is', () => {
  const key = (first: string) =>
    Buffer.from(`${first}${'ff'.repeat(30)}7f`, 'hex').toString('base64url');
  for (const first of ['ed', 'ee', 'f5', 'ff']) expect(nodeKeyFromText(key(first))).toBeNull();
  expect(nodeKeyFromText(key('eb'))).not.toBeNull();
});
