// For Promise.withResolvers, which libp2p needs and Node 20 does not have.
import '@mesh-registry/peer/session/host.ts';
import { randomBytes, type KeyObject } from 'node:crypto';
import type { Connection, Stream } from '@libp2p/interface';
import { generateKeyPairFromSeed } from '@libp2p/crypto/keys';
import { noise } from '@libp2p/noise';
import { tcp } from '@libp2p/tcp';
import { lpStream } from '@libp2p/utils';
import { yamux } from '@libp2p/yamux';
import { multiaddr } from '@multiformats/multiaddr';
import { createLibp2p, type Libp2p } from 'libp2p';
import { CONTROL } from '@mesh-registry/peer/session/messages.schema.ts';
import { signDetached } from '@mesh-registry/protocol/keys/dsse.ts';
import { generateNodeKey, nodeKeyText } from '@mesh-registry/protocol/keys/node-key.ts';
import { peerIdOfKey } from '@mesh-registry/protocol/keys/peer-id.ts';
import type { APeer } from './peers.ts';

/** A node that speaks the protocol by hand, and as badly as a test wants. */

const PATIENCE_MS = 30_000;
/** How often it tries to make a session. */
const ATTEMPTS = 3;

/** A host with as many streams as it likes. @param from the address it dials from: limits count by host */
async function hostOf(key: KeyObject, from: string): Promise<Libp2p> {
  const seed = Buffer.from(key.export({ format: 'jwk' }).d ?? '', 'base64url');
  return createLibp2p({
    privateKey: await generateKeyPairFromSeed('Ed25519', seed),
    addresses: { listen: [] },
    transports: [tcp({ dialOpts: { localAddress: from } as object })],
    connectionEncrypters: [noise()],
    streamMuxers: [
      yamux({
        maxOutboundStreams: 5000,
        maxInboundStreams: 5000,
        streamOptions: { maxStreamWindowSize: 256 * 1024 },
      }),
    ],
    connectionManager: { reconnectRetries: 0 },
    connectionMonitor: { enabled: false },
    connectionGater: { denyDialMultiaddr: () => false },
  });
}

/** A stream, message by message or byte by byte. */
export class Wire {
  readonly #messages;

  constructor(readonly stream: Stream) {
    this.#messages = lpStream(stream, { maxDataLength: 8_000_000, maxBufferSize: 16_000_000 });
  }

  /** @param message an object, or the bytes of one */
  async send(message: object): Promise<void> {
    const bytes = message instanceof Uint8Array ? message : Buffer.from(JSON.stringify(message));
    await this.#messages.write(bytes, { signal: AbortSignal.timeout(PATIENCE_MS) });
  }

  /** Without a length before it. @returns whether more can be sent: not if the victim has ended the stream */
  raw(bytes: Uint8Array): boolean {
    try {
      return this.stream.send(bytes);
    } catch {
      return false;
    }
  }

  /** @throws when the stream has ended */
  async bytes(): Promise<Uint8Array> {
    const signal = AbortSignal.timeout(PATIENCE_MS);
    return (await this.#messages.read({ signal })).subarray();
  }

  /** Answers every request with the same. */
  async answer(message: object): Promise<void> {
    try {
      for (;;) {
        await this.bytes();
        await this.send(message);
      }
    } catch {
      // The other side has closed the stream.
    }
  }

  /** The next message, as the victim wrote it. */
  async next(): Promise<Message> {
    return JSON.parse(Buffer.from(await this.bytes()).toString()) as Message;
  }

  /** Reads until a message of a kind has come. */
  async until(kind: string): Promise<Message> {
    for (;;) {
      const message = await this.next();
      if (message.t === kind) return message;
    }
  }

  /** From now on reads everything, keeps it, and answers pings as an honest peer does. */
  attend(): Message[] {
    const messages: Message[] = [];
    const read = async () => {
      for (;;) {
        const message = await this.next();
        messages.push(message);
        if (message.t === 'ping') await this.send({ t: 'pong', n: message['n'] });
      }
    };
    read().catch(() => {});
    return messages;
  }
}

export interface Message {
  t?: string;
  [field: string]: unknown;
}

/** Who has passed the hello. */
export interface Entered {
  connection: Connection;
  control: Wire;
  /** Its own hello. */
  hello: Message;
  /** The victim's. */
  answer: Message;
}

type Target = Pick<APeer, 'id' | 'address'>;

export class Attacker {
  readonly id: string;

  private constructor(
    readonly key: KeyObject,
    readonly host: Libp2p,
  ) {
    this.id = peerIdOfKey(nodeKeyText(key));
  }

  /** @param from 127.0.0.2 and so on are hosts of their own */
  static async create(from = '127.0.0.2', key = generateNodeKey()): Promise<Attacker> {
    return new Attacker(key, await hostOf(key, from));
  }

  stop = async (): Promise<void> => {
    await this.host.stop();
  };

  dial({ address }: Target): Promise<Connection> {
    const signal = AbortSignal.timeout(PATIENCE_MS);
    return this.host.dial(multiaddr(address), { signal, force: true });
  }

  /** What it says first. */
  hello(fields: object = {}): Message {
    return {
      t: 'hello',
      network: 'mesh.example.org',
      proto: [1, 1],
      agent: 'attacker/1',
      caps: [],
      time: new Date().toISOString(),
      nonce: randomBytes(32).toString('hex'),
      root: 1,
      truth: 0,
      height: 0,
      record: null,
      ...fields,
    };
  }

  /** Its signature of a conversation. */
  proof(victim: Target, hello: Message, answer: Message): string {
    const transcript = JSON.stringify([
      hello['network'],
      this.id,
      victim.id,
      hello['nonce'],
      answer['nonce'],
    ]);
    return signDetached('application/vnd.mesh-registry.hello-dialer', transcript, this.key);
  }

  /**
   * Makes a session, as an honest peer would: on a machine under heavy load a message may come too late, and then it
   * tries again.
   * @throws with the victim's code if it refuses
   */
  async enter(victim: Target, fields: object = {}): Promise<Entered> {
    for (let left = ATTEMPTS; ; left -= 1)
      try {
        return await this.enterOnce(victim, fields);
      } catch (error) {
        if (error instanceof Refused || left === 1) throw error;
      }
  }

  /** The same, without another attempt. */
  async enterOnce(victim: Target, fields: object = {}): Promise<Entered> {
    const connection = await this.dial(victim);
    const control = await openWire(connection, CONTROL);
    const hello = this.hello(fields);
    await control.send(hello);
    const answer = await control.next();
    if (answer.t === 'refuse') throw new Refused(String(answer['code']));
    await control.send({ t: 'auth', sig: this.proof(victim, hello, answer) });
    const last = await control.next();
    if (last.t !== 'ok') throw new Refused(`after the proof: ${JSON.stringify(last)}`);
    return { connection, control, hello, answer };
  }
}

class Refused extends Error {}

export async function openWire(connection: Connection, protocol: string): Promise<Wire> {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  return new Wire(await connection.newStream(protocol, { signal, maxOutboundStreams: 5000 }));
}

/** Resolves when the other side, or the network, has ended the connection. */
export const closed = (connection: Connection): Promise<void> =>
  new Promise((resolve) => {
    if (connection.status === 'open') connection.addEventListener('close', () => resolve());
    else resolve();
  });
