import { BATCH_BLOCKS_MAX, BATCH_BYTES_MAX } from '@mesh-registry/protocol/log/block.schema.ts';
import { CLOCK_SKEW_MS } from '@mesh-registry/protocol/keys/node-key.schema.ts';

/**
 * The limits of the protocol between nodes: what one may send to another, and ask of it. Bytes and milliseconds, unless a
 * name says otherwise. What a peer keeps of others is bounded where it is kept. docs/peer-protocol.md has all of them.
 */

const KIB = 1024;
const MIB = 1024 * KIB;

export const PROTOCOL_VERSION = 1;
/** What this program offers, as its hello and its record say. */
export const CAPABILITIES = ['gossip', 'truth', 'blocks'];

export const LIMITS = {
  /** A message of the control stream. */
  controlBytes: 64 * KIB,
  /** Root and truth: eight roots and a truth with 5,000 bans. */
  truthBytes: MIB,
  /** Roots in one answer: who lags further asks again. */
  rootsPerAnswer: 8,
  /**
   * Answers with a truth that are awaited at a time from peers that came to us, so that they cannot keep us from asking
   * those that we have chosen.
   */
  inboundFetches: 3,
  /** Blocks travel in packs, because a message for each costs more than a small block. */
  packBytes: 256 * KIB,
  batchBlocks: BATCH_BLOCKS_MAX,
  batchBytes: BATCH_BYTES_MAX,

  /** Control messages a second and session: a peer that talks to us sends less than one. */
  messagesPerSecond: 20,
  messagesBurst: 200,
  /** Records a second and session; the burst is eight full messages. */
  recordsPerSecond: 16,
  recordsBurst: 512,
  recordsPerMessage: 64,
  /** Peers to which a record that is new here is passed on. */
  recordFanout: 6,
  /** Requests for blocks, a second and session: 4 MiB each. Those above it wait. */
  requestsPerSecond: 20,
  requestsBurst: 100,
  /** Between two messages of what a peer has. */
  haveMs: 250,
  /** Requests with long answers cost as much as this many messages. */
  peersRequestCost: 10,
  truthRequestCost: 5,

  /** Each message of the hello, and all of it. */
  helloMessageMs: 5000,
  helloMs: 8000,
  clockSkewMs: CLOCK_SKEW_MS,
  /** Sending one message to a peer that does not read. */
  sendMs: 5000,
  /** Until an answer begins, and between its parts. */
  answerMs: 10_000,
  /** A batch of blocks: a line that is slower than a megabit a second gets what has come by then. */
  batchMs: 30_000,

  pingMs: 15_000,
  /** Pings without an answer, one after another, that end a session. */
  missedPings: 3,

  /** Connections of one host that have come in, whatever their identities: open and encrypted, and new ones a second. */
  connectionsPerHost: 8,
  connectionsPerHostPerSecond: 5,

  /** In all, and of these dialled, unless the operator has set others. */
  sessions: 128,
  outboundSessions: 8,
  /** Places for newcomers when all others are taken, of these for one network group, and how long a visit is. */
  visitors: 16,
  groupVisitors: 2,
  visitMs: 5000,

  /** A connection, or a stream, on which nothing comes. */
  silentMs: 60_000,
  /** Connections beyond those of all sessions: who has not said hello yet, or is refused. */
  spareConnections: 32,
  /** Connections that are being encrypted, of all hosts: each has helloMessageMs. */
  pendingConnections: 256,
  /** What comes until a connection is encrypted and multiplexed; some 600 bytes do it. */
  upgradeBytes: 4096,
  /** What comes on a stream until its protocol is settled; 44 bytes do it. */
  settlingBytes: 256,
  /** A frame of Yamux: the largest window of a stream. */
  frameBytes: MIB,
  /** Frames of a connection, and parts in which they come: some 50 for each megabyte of blocks. */
  framesPerSecond: 10_000,
  framesBurst: 20_000,
  /** Streams that a peer has open: on a connection, and of a protocol other than that of control, which has one. */
  streamsPerConnection: 16,
  streamsPerProtocol: 2,
  /** Streams that a peer opens on a connection, also those that are refused. */
  streamsPerSecond: 50,
  streamsBurst: 200,
  /** What a connection keeps for a peer that does not read. */
  backlogBytes: 8 * MIB,

  /** A signed record of a peer is valid for 6 hours, and renewed every hour. */
  recordMs: 6 * 3_600_000,
  recordRenewMs: 3_600_000,
} as const;

/** What a fault costs; 100 points disconnect, and refuse for an hour. */
export const POINTS = {
  /** What no correct program sends: not JSON, too long, of another shape. */
  malformed: 50,
  /** A message over the rate. */
  flood: 20,
  /** A record that is malformed, of another network, or not signed by its subject. */
  badRecord: 25,
  /** A truth or a block that is malformed, or not signed by those who may. */
  forged: 100,
  /** It said it had a newer truth, more blocks, or the root whose keys have signed them, and gave none. */
  emptyPromise: 20,
  /** A pong to no ping. */
  unaskedPong: 5,
} as const;
