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
  /** The longest message of the control stream. */
  controlBytes: 64 * KIB,
  /** The longest answer with root and truth: eight roots and a truth with 5,000 bans fit. */
  truthBytes: MIB,
  /** Roots in one answer. A peer that lags further behind asks again. */
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
  /** Bytes of control messages, a second and session: an answer with peers has some 45 KiB. Those above it wait. */
  bytesPerSecond: 64 * KIB,
  bytesBurst: MIB,
  /** Records a second and session; the burst is eight full messages. */
  recordsPerSecond: 16,
  recordsBurst: 512,
  recordsPerMessage: 64,
  /** Peers to which a record that is new here is passed on. */
  recordFanout: 6,
  /** Requests for blocks, a second and session: 4 MiB each. Those above it wait. */
  requestsPerSecond: 20,
  requestsBurst: 100,
  /**
   * The least that an operator may set as bytes of blocks and truths a second. The longest truth is sent at once, and who
   * is next waits until it has been paid: 4 s, less than half of `answerMs`.
   */
  uploadBytesPerSecondMin: 256 * KIB,
  /** The shortest time between two messages that say what a peer has. */
  haveMs: 250,
  /** Requests with long answers cost as much as this many messages. */
  peersRequestCost: 10,
  truthRequestCost: 5,

  /** How long each message of the hello may take, and the whole hello. */
  helloMessageMs: 5000,
  helloMs: 8000,
  clockSkewMs: CLOCK_SKEW_MS,
  /** How long a message may wait for a peer that does not read. */
  sendMs: 5000,
  /** How long an answer may take to begin, and the longest pause between its parts. */
  answerMs: 10_000,
  /** How long a batch of blocks may take. On a line below a megabit a second, what has arrived by then counts. */
  batchMs: 30_000,

  pingMs: 15_000,
  /** A session ends after this many pings in a row without an answer. */
  missedPings: 3,

  /** Connections of one host that have come in, whatever their identities: open ones, and new ones a second. */
  connectionsPerHost: 8,
  connectionsPerHostPerSecond: 5,
  /** What the hosts of a network (/24 of IPv4, /48 of IPv6) have together: as much as so many. */
  hostsPerNetwork: 4,
  /** Hosts whose budgets are remembered, and as many networks. */
  budgets: 5000,

  /** Sessions in all, and how many of them this peer dials, unless the operator sets other numbers. */
  sessions: 128,
  outboundSessions: 8,
  /** Places for newcomers when all others are taken, of these for one network group, and how long a visit is. */
  visitors: 16,
  groupVisitors: 2,
  visitMs: 5000,

  /** A connection or stream on which nothing has come for this long is closed. */
  silentMs: 60_000,
  /** Connections that have come in and whose hello has not succeeded yet, of all hosts. Beyond that one of them goes. */
  strangers: 256,
  /** Bytes that may come until a connection is encrypted and multiplexed; it takes some 600. */
  upgradeBytes: 4096,
  /** Bytes that may come on a stream until its protocol is settled; it takes 44. */
  settlingBytes: 256,
  /** A frame of Yamux: the largest window of a stream. */
  frameBytes: MIB,
  /** Frames of a connection, and parts in which they come: some 50 for each megabyte of blocks. */
  framesPerSecond: 10_000,
  framesBurst: 20_000,
  /**
   * Frames with less than a KiB: each costs as much as one with 64 KiB. An honest peer sends few, beside those that
   * acknowledge what it gets: one more for each 16 KiB that are sent to it.
   */
  smallFrameBytes: KIB,
  smallFramesPerSecond: 200,
  smallFramesBurst: 1000,
  bytesPerSmallFrame: 16 * KIB,
  /** Streams that a peer has open: on a connection, and of a protocol other than that of control, which has one. */
  streamsPerConnection: 16,
  streamsPerProtocol: 2,
  /** Streams that a peer opens on a connection, also those that are refused. */
  streamsPerSecond: 50,
  streamsBurst: 200,
  /** Bytes that a connection keeps for a peer that does not read, and that all connections keep together. */
  backlogBytes: 8 * MIB,
  backlogBytesInAll: 64 * MIB,
  /** A request for a truth or for blocks. */
  requestBytes: KIB,

  /** A signed record of a peer is valid for 6 hours, and renewed every hour. */
  recordMs: 6 * 3_600_000,
  recordRenewMs: 3_600_000,
} as const;

/** How many points a fault costs its peer; at 100 it is disconnected, and refused for an hour. */
export const POINTS = {
  /** What no correct program sends: not JSON, too long, of another shape. */
  malformed: 50,
  /** A message over the rate. */
  flood: 20,
  /** A record that is malformed, of another network, or not signed by its subject. */
  badRecord: 25,
  /** A truth or a block that is malformed, or not signed by those who may. */
  forged: 100,
  /** The peer said that it has a newer truth, more blocks, or the root whose keys signed them, and sent none. */
  emptyPromise: 20,
  /** A pong to no ping. */
  unaskedPong: 5,
} as const;
