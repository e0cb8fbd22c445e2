import { describe, expect, test } from 'vitest';
import { DsseEnvelope } from '@mesh-registry/protocol/keys/dsse.schema.ts';
import { signEnvelope } from '@mesh-registry/protocol/keys/dsse.ts';
import { aRecord, aSubject, signed } from '../../../test/support/peer-records.ts';
import { openRecord, RecordError, signRecord, ownAddresses } from './peer-record.ts';
import { PEER_RECORD_TYPE, type PeerRecord } from './peer-record.schema.ts';

const subject = aSubject();
const other = aSubject();
const AT = '/dns4/node.example.org/tcp/9900';

/** Why a record is refused. */
function reason(envelope: DsseEnvelope): RecordError['reason'] | null {
  try {
    openRecord(envelope);
    return null;
  } catch (error) {
    if (error instanceof RecordError) return error.reason;
    throw error;
  }
}

const sealed = (content: unknown, key = subject.key) =>
  signEnvelope(PEER_RECORD_TYPE, JSON.stringify(content), key);

describe('a peer record', () => {
  test('is what its subject has signed', () => {
    const envelope = signed(subject, [AT, `/ip4/192.0.2.1/tcp/9900/p2p/${subject.peer}`]);
    expect(DsseEnvelope.parse(envelope)).toEqual(envelope);
    expect(openRecord(envelope)).toMatchObject({ peer: subject.peer, seq: 1 });
  });

  test('signed by another peer, or by nobody, is refused', () => {
    const envelope = signed(subject, AT);
    const forged = signed(other, AT);
    expect(reason(sealed(aRecord(subject, AT), other.key))).toBe('signature');
    expect(reason({ ...envelope, signatures: forged.signatures })).toBe('signature');
    expect(reason({ ...envelope, payload: forged.payload })).toBe('signature');
    const [signature = { keyid: '', sig: '' }] = envelope.signatures;
    expect(reason({ ...envelope, signatures: [{ ...signature, sig: '' }] })).toBe('signature');
    expect(reason({ ...envelope, signatures: [] })).toBe('malformed');
    expect(reason({ ...envelope, signatures: [signature, signature] })).toBe('malformed');
  });

  test('of another shape is refused, whoever has signed it', () => {
    const record = aRecord(subject, AT);
    const bad: unknown[] = [
      null,
      [],
      'text',
      { ...record, more: 1 },
      { ...record, network: 'Not a name' },
      { ...record, peer: '12D3Koo' },
      { ...record, seq: -1 },
      { ...record, seq: 1.5 },
      { ...record, seq: 2 ** 60 },
      { ...record, expires: 'soon' },
      { ...record, addrs: [] },
      { ...record, addrs: Array<string>(9).fill(AT) },
      { ...record, addrs: ['/unix/run/docker.sock'] },
      { ...record, addrs: [`${AT}/p2p/${other.peer}`] },
      { ...record, caps: Array<string>(17).fill('blocks') },
      { ...record, caps: ['Not a name'] },
    ];
    for (const content of bad) expect(reason(sealed(content))).toBe('malformed');
    expect(reason({ ...sealed(record), payload: 'bm8=' })).toBe('malformed');
    expect(reason(signEnvelope('text', JSON.stringify(record), subject.key))).toBe('malformed');
  });

  test('at its bounds still fits into an envelope', () => {
    const addrs = Array.from(
      { length: 8 },
      (_, index) => `/dns4/${'n'.repeat(60)}.${'m'.repeat(50)}${index}/tcp/65535`,
    );
    expect(addrs[0]).toHaveLength(128);
    const caps = Array.from({ length: 16 }, (_, index) => `${'c'.repeat(30)}${index}`.slice(0, 32));
    const fields: Partial<PeerRecord> = {
      caps,
      seq: Number.MAX_SAFE_INTEGER,
      network: 'n'.repeat(64),
    };
    expect(DsseEnvelope.safeParse(signed(subject, addrs, fields)).success).toBe(true);
  });

  test('that others would refuse is not signed', () => {
    expect(() => signRecord(aRecord(subject, '/ip4/0.0.0.0/tcp/9900'), subject.key)).toThrow(
      /addrs.0 must be an address such as/,
    );
    expect(() => signRecord(aRecord(subject, AT), other.key)).toThrow(/not signed by its own key/);
  });
});

const PUBLIC = '/ip4/203.0.113.7/tcp/9900';
const HOME = '/ip4/192.168.1.7/tcp/9900';
const OVERLAY = '/ip6/fd00::7/tcp/9900';
const SELF = ['/ip4/127.0.0.1/tcp/9900', '/ip6/::1/tcp/9900'];

test.each([
  ['what is announced', { announced: [HOME], listening: [PUBLIC] }, [HOME]],
  ['else public addresses alone', { listening: [...SELF, HOME, PUBLIC] }, [PUBLIC]],
  ['else none', { listening: [...SELF, HOME, OVERLAY] }, []],
])('others are told %s', (_, { announced, listening }: Given, told) => {
  expect(ownAddresses(announced, listening, false)).toEqual(told);
});

test.each([
  ['what is announced', { announced: [PUBLIC], listening: [HOME] }, [PUBLIC]],
  ['else public addresses alone', { listening: [...SELF, HOME, PUBLIC] }, [PUBLIC]],
  ['else private ones', { listening: [...SELF, HOME, OVERLAY] }, [HOME, OVERLAY]],
  ['else those of the machine', { listening: SELF }, SELF],
])('in a private network others are told %s', (_, { announced, listening }: Given, told) => {
  expect(ownAddresses(announced, listening, true)).toEqual(told);
});

test('others are told of no more addresses than a record may have', () => {
  const many = Array.from({ length: 20 }, (_, n) => `/ip4/203.0.113.${n + 1}/tcp/9900`);
  expect(ownAddresses(undefined, many, false)).toEqual(many.slice(0, 8));
});

interface Given {
  announced?: string[];
  listening: string[];
}
