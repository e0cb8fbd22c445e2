import type { Connection, Stream } from '@libp2p/interface';
import { keyObjectOfPeerId } from '@mesh-registry/protocol/keys/peer-id.ts';
import { multiaddr } from '@multiformats/multiaddr';
import type { Libp2p } from 'libp2p';
import { addressGroup } from '../addresses/address-group.ts';
import { Channel, MalformedError } from '../session/channel.ts';
import type { PeerContext } from '../context.ts';
import type { Budget } from '../guard/budgets.ts';
import { greet, RefusedError, welcome, type Introduction } from '../session/handshake.ts';
import { countBy, putNewest } from '../base/collections.ts';
import { CAPABILITIES, LIMITS, POINTS, PROTOCOL_VERSION } from '../base/limits.ts';
import { CONTROL, type Hello, type RefusalCode } from '../session/messages.schema.ts';
import { Session } from '../session/session.ts';
import { closeConnection } from '../session/sessions.ts';

/** How many of the peers that refused this one are remembered, with the reason, and how long, milliseconds. */
const REFUSING_MAX = 1000;
const REFUSING_MS = 3_600_000;

interface DoorwayOptions {
  /** This peer's own record, to be passed on; null: nobody can reach it. */
  record: () => Hello['record'];
  /** Whether nobody new may come in from where a connection comes from. */
  isHostRefused: (connection: Connection) => boolean;
  /** What the peers at the other end of a connection may do together. */
  budgetOf: (connection: Connection) => Budget;
  onSession: (session: Session, hello: Hello) => void;
}

/** How connections become sessions: dials, and the hello on both sides. */
export class Doorway {
  /** How many were refused or cut before they had a session, by reason. */
  readonly refusals: Record<string, number> = {};
  /** Why dialled peers refused this one; the newest refusal comes last. */
  readonly #refusing = new Map<string, { code: RefusalCode; at: number }>();

  constructor(
    private readonly context: PeerContext,
    private readonly host: Libp2p,
    private readonly options: DoorwayOptions,
  ) {
    host.addEventListener('connection:open', ({ detail }) => this.#opened(detail));
  }

  /** How many of the peers that were dialled have refused this one within an hour, by the reason that each gave last. */
  get refusedBy(): Record<string, number> {
    const recent = [...this.#refusing.values()].filter(
      ({ at }) => performance.now() - at < REFUSING_MS,
    );
    return Object.fromEntries(countBy(recent.map(({ code }) => code)));
  }

  /**
   * Connects to a peer and says hello.
   * @param addresses of the peer, without names: the group of a session is that of the address dialled
   * @throws RefusedError, MalformedError, or what ended the connection, if there is no session afterwards
   */
  async dial(peer: string, addresses: readonly string[]): Promise<void> {
    const connection = await this.host.dial(
      addresses.map((text) => multiaddr(text.includes('/p2p/') ? text : `${text}/p2p/${peer}`)),
      // A connection that is being closed does not count.
      { signal: AbortSignal.timeout(LIMITS.helloMs), force: true },
    );
    const channel = new Channel(
      await connection.newStream(CONTROL, { signal: AbortSignal.timeout(LIMITS.helloMessageMs) }),
      LIMITS.controlBytes,
    );
    try {
      const introduction = this.#introduction(connection);
      this.#establish(connection, channel, await greet(channel, introduction));
    } catch (error) {
      await this.#failed(connection, channel, error);
      throw error;
    }
  }

  /** The stream on which a dialer says hello. */
  async accept(stream: Stream, connection: Connection): Promise<void> {
    const channel = new Channel(stream, LIMITS.controlBytes);
    try {
      if (connection.direction === 'outbound' || this.context.sessions.on(connection))
        throw new MalformedError('a second control stream');
      const introduction = this.#introduction(connection);
      this.#establish(connection, channel, await welcome(channel, introduction));
    } catch (error) {
      await this.#failed(connection, channel, error);
    }
  }

  /** The whole hello must end in time, however many messages it takes. */
  #opened(connection: Connection): void {
    setTimeout(() => {
      if (connection.status !== 'open' || this.context.sessions.on(connection)) return;
      this.#count('no_hello');
      connection.abort(new Error('no hello'));
    }, LIMITS.helloMs).unref();
  }

  #introduction(connection: Connection): Introduction {
    const { me, agent, trust, have, sessions } = this.context;
    const id = connection.remotePeer.toString();
    const key = keyObjectOfPeerId(id);
    if (!key) throw new MalformedError('its key is not Ed25519');
    return {
      me,
      remote: { id, key },
      hello: (nonce) => ({
        t: 'hello',
        network: trust.network,
        proto: [PROTOCOL_VERSION, PROTOCOL_VERSION],
        agent,
        caps: CAPABILITIES,
        time: new Date().toISOString(),
        nonce,
        ...have(),
        record: this.options.record(),
      }),
      judge: (hello) =>
        this.#judge(hello, id) ??
        (connection.direction === 'outbound' ||
        sessions.get(id) ||
        (!this.options.isHostRefused(connection) &&
          sessions.placeFor(groupOfConnection(connection)))
          ? null
          : 'busy'),
    };
  }

  #judge({ network, proto: [oldest, newest], time }: Hello, peer: string): RefusalCode | null {
    const { trust } = this.context;
    if (network !== trust.network) return 'wrong_network';
    if (oldest > PROTOCOL_VERSION || newest < Math.max(1, trust.truth?.minProtocol ?? 1))
      return 'version';
    if (Math.abs(Date.parse(time) - Date.now()) > LIMITS.clockSkewMs) return 'clock_skew';
    return trust.banOf(peer) ? 'banned' : null;
  }

  #establish(connection: Connection, channel: Channel, hello: Hello): void {
    const peer = connection.remotePeer.toString();
    const group = groupOfConnection(connection);
    const budget = this.options.budgetOf(connection);
    const session = new Session(peer, connection, channel, { group, budget }, hello);
    if (connection.status !== 'open') throw new Error('closed during the hello');
    const { sessions } = this.context;
    // Several may have been told at once that there is room for one.
    const place = session.outbound || sessions.get(peer) ? 'resident' : sessions.placeFor(group);
    if (place && sessions.add(session, place)) {
      this.#refusing.delete(peer);
      this.options.onSession(session, hello);
    } else closeConnection(connection);
  }

  async #failed(connection: Connection, channel: Channel, error: unknown): Promise<void> {
    const peer = connection.remotePeer.toString();
    if (error instanceof RefusedError) {
      if (error.byUs) this.#count(error.code);
      if (error.byUs && error.code === 'bad_signature')
        this.context.punish(
          { peer, connection },
          POINTS.malformed,
          'the hello is not signed by its key',
        );
      if (!error.byUs && connection.direction === 'outbound')
        putNewest(this.#refusing, peer, { code: error.code, at: performance.now() }, REFUSING_MAX);
      this.context.emit({ kind: error.byUs ? 'refused' : 'refused_by', peer, code: error.code });
      // The other side needs time to read the reason.
      await channel.close();
    } else if (error instanceof MalformedError) {
      this.#count('malformed');
      this.context.punish({ peer, connection }, POINTS.malformed, error.message);
      await channel.send({ t: 'refuse', code: 'malformed' }).catch(() => {});
      await channel.close();
    } else {
      this.#count('hello_failed');
      channel.abort('hello');
    }
    closeConnection(connection);
  }

  #count(reason: string): void {
    this.refusals[reason] = (this.refusals[reason] ?? 0) + 1;
  }
}

const groupOfConnection = ({ remoteAddr }: Connection): string =>
  addressGroup(remoteAddr.toString());
