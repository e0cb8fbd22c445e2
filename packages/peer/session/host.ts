import { createPrivateKey, createPublicKey, diffieHellman, type KeyObject } from 'node:crypto';
import type { MultiaddrConnection } from '@libp2p/interface';
import { generateKeyPairFromSeed } from '@libp2p/crypto/keys';
import { noise, type ICryptoInterface } from '@libp2p/noise';
import { defaultCrypto } from '@libp2p/noise/crypto';
import { tcp } from '@libp2p/tcp';
import { createLibp2p, type Libp2p } from 'libp2p';
import type { Backlog } from '../guard/backlog.ts';
import type { Budget } from '../guard/budgets.ts';
import { guardedYamux, guardUpgrade } from '../guard/connection-guard.ts';
import { LIMITS } from '../base/limits.ts';

/**
 * libp2p as this protocol uses it: TCP, Noise and Yamux, and none of its services. No identify, no DHT and no gossip of
 * its own: they would talk to peers before the hello, and hold what they send without bounds.
 */

interface HostOptions {
  key: KeyObject;
  /** Multiaddrs; none: it only dials. */
  listen: readonly string[];
  /** Whether to accept a connection; asked first, before anything is read. Nothing else bounds how many there are. */
  receives: (connection: MultiaddrConnection) => boolean;
  /** Whether to accept a peer; asked once it has proved its ID. */
  admits: (peer: string) => boolean;
  /** Whether a peer may be dialled. */
  dials: (peer: string) => boolean;
  /** What the peers at an address may do together. */
  budgetOf: (address: string) => Budget;
  backlog: Backlog;
}

const KIB = 1024;

const X25519 = { kty: 'OKP', crv: 'X25519' } as const;
const base64url = (key: { subarray: () => Uint8Array }): string =>
  Buffer.from(key.subarray()).toString('base64url');

/**
 * The cryptography of Noise, with Node's own as libp2p has it, but keys come as JWK: on Node 20 it takes OpenSSL seven
 * times as long to read them from DER, and that is most of what a new connection costs.
 */
export const noiseCrypto: ICryptoInterface = {
  ...defaultCrypto,
  generateX25519SharedKey(privateKey, publicKey) {
    const x = base64url(publicKey);
    return diffieHellman({
      publicKey: createPublicKey({ key: { ...X25519, x }, format: 'jwk' }),
      // Node requires the public half, but does not use it.
      privateKey: createPrivateKey({
        key: { ...X25519, x, d: base64url(privateKey) },
        format: 'jwk',
      }),
    });
  },
};

/**
 * libp2p calls Promise.withResolvers, which Node 20 does not have: without this a host starts there, and then resets
 * every connection that comes in, without a reason.
 */
const promises = Promise as typeof Promise & { withResolvers?: () => object };
promises.withResolvers ??= () => {
  const resolvers = {};
  const promise = new Promise((resolve, reject) => Object.assign(resolvers, { resolve, reject }));
  return Object.assign(resolvers, { promise });
};

/** @throws if it cannot listen there */
export async function createHost({
  key,
  listen,
  receives,
  admits,
  dials,
  ...guards
}: HostOptions): Promise<Libp2p> {
  const upgrading = new WeakMap<MultiaddrConnection, () => void>();
  // Both answer libp2p's question whether to deny the connection.
  const begin = (connection: MultiaddrConnection): false => {
    sendWhole(connection);
    upgrading.set(connection, guardUpgrade(connection));
    return false;
  };
  const settle = (connection: MultiaddrConnection): false => {
    upgrading.get(connection)?.();
    return false;
  };
  const seed = Buffer.from(key.export({ format: 'jwk' }).d ?? '', 'base64url');
  const host = await createLibp2p({
    privateKey: await generateKeyPairFromSeed('Ed25519', seed),
    addresses: { listen: [...listen] },
    transports: [
      tcp({
        inboundSocketInactivityTimeout: LIMITS.silentMs,
        outboundSocketInactivityTimeout: LIMITS.silentMs,
        backlog: 128,
      }),
    ],
    connectionEncrypters: [noise({ crypto: noiseCrypto })],
    streamMuxers: [
      guardedYamux(
        {
          maxInboundStreams: LIMITS.streamsPerConnection,
          maxOutboundStreams: LIMITS.streamsPerConnection,
          maxEarlyStreams: 4,
          streamOptions: {
            initialStreamWindowSize: 256 * KIB,
            maxStreamWindowSize: LIMITS.frameBytes,
            maxReadBufferLength: LIMITS.frameBytes,
            inactivityTimeout: LIMITS.silentMs,
          },
        },
        guards,
      ),
    ],
    connectionManager: {
      // `receives` bounds connections: these limits would refuse the newcomer, and each address of an IPv6 host is another
      // one to them.
      maxConnections: Infinity,
      maxIncomingPendingConnections: Infinity,
      inboundConnectionThreshold: Infinity,
      inboundUpgradeTimeout: LIMITS.helloMessageMs,
      dialTimeout: LIMITS.helloMessageMs,
      inboundStreamProtocolNegotiationTimeout: LIMITS.helloMessageMs,
      outboundStreamProtocolNegotiationTimeout: LIMITS.helloMessageMs,
      maxParallelDials: 8,
      maxPeerAddrsToDial: 4,
      reconnectRetries: 0,
    },
    // Sessions measure their round trips themselves.
    connectionMonitor: { enabled: false },
    connectionGater: {
      // Which addresses may be dialled is decided before libp2p gets them.
      denyDialMultiaddr: () => false,
      denyDialPeer: (peer) => !dials(peer.toString()),
      denyInboundConnection: (connection) => !receives(connection) || begin(connection),
      denyInboundEncryptedConnection: (peer) => !admits(peer.toString()),
      denyInboundUpgradedConnection: (_, connection) => settle(connection),
      denyOutboundConnection: (_, connection) => begin(connection),
      denyOutboundUpgradedConnection: (_, connection) => settle(connection),
    },
    services: {},
  });
  // libp2p would remember every peer that ever came for hours.
  host.addEventListener('connection:close', ({ detail: { remotePeer } }) => {
    if (host.getConnections(remotePeer).length <= 1) void host.peerStore.delete(remotePeer);
  });
  return host;
}

/** Sends an encrypted message in one packet: it comes as some five parts, and each would be a packet of its own. */
function sendWhole(connection: MultiaddrConnection): void {
  const send = connection.send.bind(connection);
  connection.send = (data) => send(data.subarray());
}
