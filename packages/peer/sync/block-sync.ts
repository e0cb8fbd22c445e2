import type { Connection, Stream } from '@libp2p/interface';
import { FRAME_BYTES_MAX } from '@mesh-registry/protocol/log/block.schema.ts';
import type { BlockError } from '@mesh-registry/protocol/log/block.ts';
import type { BlockLog } from '@mesh-registry/protocol/log/block-log.ts';
import { unpack } from '@mesh-registry/protocol/log/pack.ts';
import { DamagedLogError } from '@mesh-registry/protocol/log/segment.ts';
import { Channel, MalformedError } from '../session/channel.ts';
import type { PeerContext } from '../context.ts';
import { LIMITS, POINTS } from '../base/limits.ts';
import { untilTaken } from '../base/token-bucket.ts';
import { BLOCKS, BlocksRequest, type Have } from '../session/messages.schema.ts';
import type { Session } from '../session/session.ts';
import { LogReplacement } from './log-replacement.ts';
import type { Uploads } from './uploads.ts';

/** A pack ends with the block that fills it, so it may be longer than it should be by one block. */
const PACK_BYTES_MAX = LIMITS.packBytes + FRAME_BYTES_MAX + 64 * 1024;

/** Memory for a batch: its last pack may begin just below the limit, and one pack too many is read before it is refused. */
const BATCH_MEMORY_BYTES = LIMITS.batchBytes + 2 * PACK_BYTES_MAX;

interface BlockSyncOptions {
  uploads: Uploads;
  /** Asks a peer for newer roots and a newer truth. */
  askTruth: (session: Session) => Promise<void>;
  /** How long a batch may take, milliseconds: then what has come counts. */
  batchMs: number;
}

/** Blocks in their order, and whether the peer has said that these are all. */
interface Batch {
  frames: Uint8Array[];
  isWhole: boolean;
}

/** Blocks, each behind its length. */
export interface PackedBlocks {
  /** How many bytes the parts have together. */
  bytes: number;
  parts: Iterable<Uint8Array>;
}

/** The log, passed on from peer to peer: who has less asks who has more, a batch at a time. */
export class BlockSync {
  #pulling = false;
  /** What each peer said that it has before it gave nothing: it is not asked again until it says something else. */
  #fruitless = new WeakMap<Session, Have>();

  /** Up to where it has told others of blocks that it had to remove; it has them again, or gets them. */
  #damagedTo = 0;

  readonly #replacement: LogReplacement;

  constructor(
    private readonly context: PeerContext,
    private readonly options: BlockSyncOptions,
  ) {
    this.#replacement = new LogReplacement(context, {
      request: (session, from, max) => this.#request(session, from, max),
      refuse: (session, bad) => this.#refuse(session, bad),
      onReplaced: () => {
        context.announce();
        this.retry();
      },
    });
  }

  /** A peer has said what it has. */
  follow(session: Session): void {
    const ours = this.context.have();
    if (session.have.height > ours.height) void this.#pullAll();
    else if (session.have.height < ours.height) session.tell(ours);
    void this.#replacement.search();
  }

  /** Root or truth have changed: what was not believed before may be now. */
  retry(): void {
    this.#fruitless = new WeakMap();
    void this.#pullAll();
    void this.#replacement.search();
  }

  /** Takes blocks of the operator's own log. @returns how many @throws BlockError */
  async take(frames: readonly Uint8Array[]): Promise<number> {
    const { added, bad } = await this.#append(frames);
    if (!bad) return added;
    this.#tellFork(bad);
    throw bad;
  }

  async #append(frames: readonly Uint8Array[]): Promise<{ added: number; bad: BlockError | null }> {
    const result = await this.context.log.append(frames);
    if (result.added > 0) {
      this.context.emit({
        kind: 'blocks',
        added: result.added,
        height: this.context.log.head.height,
      });
      this.context.announce();
    }
    return result;
  }

  async #pullAll(): Promise<void> {
    if (this.#pulling) return;
    this.#pulling = true;
    let memory: Uint8Array | undefined;
    try {
      for (let batches = 0; ; batches++) {
        const { height } = this.context.log.head;
        const [nearest] = [...this.context.sessions]
          .filter((session) => session.have.height > height && !session.ended.aborted)
          .filter((session) => this.#fruitless.get(session) !== session.have)
          .sort((one, other) => one.distance - other.distance);
        if (!nearest) return;
        const said = nearest.have;
        // From the second batch on they share memory: new memory for each would pile up faster than it is freed.
        if (batches === 1) memory = Buffer.allocUnsafeSlow(BATCH_MEMORY_BYTES);
        if (!(await this.#pull(nearest, memory))) this.#fruitless.set(nearest, said);
      }
    } finally {
      this.#pulling = false;
    }
  }

  /** One batch. @param memory for its blocks @returns whether to go on with this peer */
  async #pull(session: Session, memory?: Uint8Array): Promise<boolean> {
    const { punish, log } = this.context;
    let isStoring = false;
    try {
      const from = log.head.height + 1;
      const { frames, isWhole } = await this.#request(session, from, LIMITS.batchBlocks, memory);
      isStoring = true;
      const { added, bad } = await this.#append(frames);
      isStoring = false;
      // A slow peer is asked last from now on.
      if (!isWhole || added === 0) session.disappointments++;
      if (frames.length === 0) punish(session, POINTS.emptyPromise, 'promised more blocks');
      if (!bad || (!isWhole && this.#isUnproven(bad))) return added > 0;
      return await this.#refuse(session, bad);
    } catch (error) {
      // Our own disk is nobody else's fault.
      if (error instanceof DamagedLogError) await this.#fetchAgain(error);
      else if (isStoring) this.context.emit({ kind: 'storage', message: String(error) });
      else if (error instanceof MalformedError) punish(session, POINTS.forged, error.message);
      // The line has failed, or the peer is busy with others: it is asked last from now on.
      else session.disappointments++;
      return false;
    }
  }

  /**
   * Compares the newest block that a peer and we both have: a history that was rewritten without growing would show
   * nowhere else. Asks one peer.
   */
  async audit(): Promise<void> {
    void this.#replacement.search();
    const ours = this.context.log.head.height;
    const session = this.context.sessions.shuffled().find(({ have }) => have.height > 0);
    if (!session || ours === 0) return;
    try {
      const height = Math.min(session.have.height, ours);
      const [frame] = (await this.#request(session, height, 1)).frames;
      // A block that the log has already is neither added nor bad.
      const { bad } = frame ? await this.#append([frame]) : { bad: null };
      if (bad?.reason === 'signature') await this.#auditBatch(session, height, bad);
      else if (bad) await this.#refuse(session, bad);
    } catch (error) {
      if (error instanceof DamagedLogError) await this.#fetchAgain(error);
      else if (error instanceof MalformedError)
        this.context.punish(session, POINTS.malformed, error.message);
    }
  }

  /** Another block than ours that is not signed by itself: the last one of its batch may commit to it. */
  async #auditBatch(session: Session, height: number, alone: BlockError): Promise<void> {
    const { frames, isWhole } = await this.#request(session, height, LIMITS.batchBlocks);
    const { bad } = await this.#append(frames);
    if (isWhole || (bad && !this.#isUnproven(bad))) await this.#refuse(session, bad ?? alone);
  }

  /** Whether a block that was refused may still be right: a later block, which is signed, may commit to it. */
  #isUnproven({ reason, standing }: BlockError): boolean {
    if (reason !== 'signature' && reason !== 'link' && reason !== 'checkpoint') return false;
    return standing !== 'valid';
  }

  /** Two signed histories are the signers' fault, not the carrier's. @returns whether it is that */
  #tellFork(bad: BlockError): boolean {
    const isOfAnotherHistory = bad.reason === 'fork' || bad.reason === 'checkpoint';
    if (!isOfAnotherHistory || !bad.block || bad.standing !== 'valid') return false;
    this.context.alarm('log_fork', bad.message, bad.block.frame);
    return true;
  }

  /** @returns whether it is worth trying again */
  async #refuse(session: Session, bad: BlockError): Promise<boolean> {
    const { emit, punish, trust } = this.context;
    emit({ kind: 'blocks_refused', from: session.peer, reason: bad.reason });
    if (this.#tellFork(bad)) {
      // Which of the two histories the network's truth may say.
      void this.#replacement.takeFrom(session);
      return false;
    }
    if (this.#isUnproven(bad)) {
      // Keys of a newer root than ours may have signed it, or a later block: the newest root tells.
      const { version } = trust.root;
      await this.options.askTruth(session);
      if (trust.root.version > version) return true;
      if (bad.standing === 'retired') return false;
      // A peer that says it has a newer root may only have failed to send it in time.
      const points = session.have.root > version ? POINTS.emptyPromise : POINTS.forged;
      punish(session, points, `block: ${bad.reason}`);
    } else if (bad.reason !== 'time') punish(session, POINTS.forged, `block: ${bad.reason}`);
    return false;
  }

  /** @param memory for the blocks @throws MalformedError, or what ended the stream */
  async #request(session: Session, from: number, max: number, memory?: Uint8Array): Promise<Batch> {
    await untilTaken(() => session.asked.take(), session.ended);
    const deadline = performance.now() + this.options.batchMs;
    const stream = await session.connection.newStream(BLOCKS, { signal: answerTimeout() });
    const channel = new Channel(stream, PACK_BYTES_MAX);
    const frames: Uint8Array[] = [];
    try {
      await channel.send({ from, max });
      let bytes = 0;
      while (bytes < LIMITS.batchBytes + PACK_BYTES_MAX) {
        const left = Math.max(0, Math.ceil(deadline - performance.now()));
        const part = await channel.receiveBytes(
          AbortSignal.timeout(Math.min(left, LIMITS.answerMs)),
          memory?.subarray(bytes),
        );
        if (part.byteLength === 0) {
          void channel.close();
          return { frames, isWhole: true };
        }
        frames.push(...blocksOf(part, max - frames.length));
        bytes += part.byteLength;
      }
      throw new MalformedError('a batch without end');
    } catch (error) {
      // A stream that is not aborted stays open for as long as the other side likes.
      channel.abort('no answer');
      if (error instanceof MalformedError || frames.length === 0) throw error;
      return { frames, isWhole: false };
    }
  }

  async serve(stream: Stream, connection: Connection): Promise<void> {
    const channel = new Channel(stream, PACK_BYTES_MAX, LIMITS.requestBytes);
    const session = this.context.sessions.on(connection);
    try {
      if (!session) return channel.abort('no session');
      await untilTaken(() => session.requests.take(), channel.ended);
      await session.budget.untilTaken('requests', 1, channel.ended);
      const { from, max } = await channel.receive(BlocksRequest, answerTimeout());
      // An empty answer would break the promise that it had these blocks.
      if (from > this.context.log.head.height && from <= this.#damagedTo)
        return channel.abort('damaged');
      const { uploads } = this.options;
      const packs = this.context.log.packs(from, max, LIMITS.batchBytes, uploads.partBytes);
      const next = () =>
        uploads.next(session.budget, channel.ended, () => packs.next().value ?? undefined);
      for (let pack = await next(); pack; pack = await next())
        await channel.sendBytes(pack, LIMITS.answerMs);
      await channel.sendBytes(new Uint8Array(), LIMITS.answerMs);
      await channel.close();
    } catch (error) {
      if (session && error instanceof MalformedError)
        this.context.punish(session, POINTS.malformed, error.message);
      channel.abort('blocks');
      if (error instanceof DamagedLogError) await this.#fetchAgain(error);
    }
  }

  /**
   * Blocks from a height on for who asks otherwise than by a session: a batch of packs, each read once it is its turn.
   * @returns null if the disk has damaged the first of them; it is fetched again
   * @throws what the file system throws, also while the packs are read; the operator is told
   */
  read(from: number): PackedBlocks | null {
    const { batchBlocks, batchBytes, packBytes } = LIMITS;
    const { log } = this.context;
    const bytes = this.#reading(() => log.packedBytes(from, batchBlocks, batchBytes));
    const packs = log.packs(from, batchBlocks, batchBytes, packBytes);
    const first = this.#reading(() => packs.next());
    return bytes === null || !first ? null : { bytes, parts: this.#rest(first, packs) };
  }

  *#rest(first: IteratorResult<Buffer, void>, packs: Iterator<Buffer, void>): Generator<Buffer> {
    let next: typeof first | null = first;
    for (; next && !next.done; next = this.#reading(() => packs.next())) yield next.value;
    if (!next) throw new Error('The disk has damaged a block.');
  }

  /** Reads for somebody else. @returns null if the disk has damaged what was read; it is fetched again */
  #reading<T>(read: () => T): T | null {
    try {
      return read();
    } catch (error) {
      if (error instanceof DamagedLogError) {
        void this.#fetchAgain(error);
        return null;
      }
      const { code, message } = error as NodeJS.ErrnoException;
      if (code !== undefined)
        this.context.alarm('storage', `The log cannot be read: ${message}.`, new Uint8Array());
      throw error;
    }
  }

  /** The disk has changed what was stored: tells the operator, and gets it from others. */
  async #fetchAgain({ height, message }: DamagedLogError): Promise<void> {
    const { alarm, emit, log } = this.context;
    if (height === null || height > log.head.height) return;
    this.#damagedTo = Math.max(this.#damagedTo, log.head.height);
    alarm(
      'storage',
      `Block ${height} of the log was damaged on disk. It and those after it are fetched again.`,
      whatIsLeft(log, height),
    );
    try {
      await log.dropFrom(height);
    } catch (error) {
      emit({ kind: 'storage', message: `${message} ${String(error)}` });
    }
    this.retry();
  }
}

/** A damaged block, as evidence; empty: there is nothing to be read. */
function whatIsLeft(log: BlockLog, height: number): Uint8Array {
  try {
    return log.uncheckedFrames(height, 1, 0)[0] ?? new Uint8Array();
  } catch {
    return new Uint8Array();
  }
}

/** @throws MalformedError */
function blocksOf(part: Uint8Array, max: number): Uint8Array[] {
  try {
    return unpack(part, max);
  } catch (error) {
    throw error instanceof RangeError ? new MalformedError(error.message) : error;
  }
}

const answerTimeout = () => AbortSignal.timeout(LIMITS.answerMs);
