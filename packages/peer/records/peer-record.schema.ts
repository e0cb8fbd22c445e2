import { z } from 'zod';
import { NetworkName, PeerId, Time } from '@mesh-registry/protocol/truth/truth.schema.ts';
import { ADDRESS_LENGTH_MAX, parseAddress } from '../addresses/peer-address.ts';

/** What a peer tells everybody of itself, as the payload of a DSSE envelope that its own key has signed. */

export const PEER_RECORD_TYPE = 'application/vnd.mesh-registry.peer+json';

export const ADDRESSES_MAX = 8;

/** `/dns4/node.example.org/tcp/9900`, maybe with `/p2p/` and the peer's id. */
export const Address = z
  .string('must be a string')
  .max(ADDRESS_LENGTH_MAX, `must be at most ${ADDRESS_LENGTH_MAX} characters`)
  .refine((text) => parseAddress(text) !== null, {
    error: 'must be an address such as /dns4/node.example.org/tcp/9900 or /ip4/192.0.2.1/tcp/9900',
  });

/** What a program can do, such as `blocks`. */
export const Capability = z
  .string('must be a string')
  .regex(/^[a-z0-9-]{1,32}$/, 'must be 1 to 32 of a-z 0-9 -');

export const PeerRecord = z
  .strictObject({
    network: NetworkName,
    /** Its subject, whose key has to sign it. */
    peer: PeerId,
    /** Of two records the one with the higher number is newer. */
    seq: z.int('must be a whole number').min(0, 'must be at least 0'),
    expires: Time,
    addrs: z
      .array(Address)
      .min(1, 'must have an address')
      .max(ADDRESSES_MAX, `must have at most ${ADDRESSES_MAX} addresses`),
    caps: z.array(Capability).max(16, 'must have at most 16 capabilities'),
  })
  .refine(({ peer, addrs }) => addrs.every((addr) => (addr.split('/p2p/')[1] ?? peer) === peer), {
    path: ['addrs'],
    error: 'must not be those of another peer',
  });
export type PeerRecord = z.infer<typeof PeerRecord>;
