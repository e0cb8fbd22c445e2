import { createHash, randomUUID } from 'node:crypto';
import {
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  statfs,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';

const MB = 1024 * 1024;
/** Bytes of pictures that a folder has after it was tidied. */
const KEPT_MAX = 240 * MB;
/** A process tidies the folder whenever it has written this much, bytes: sixteen of them stay below 256 MB. */
const TIDY_AFTER = 1 * MB;
/** With less free space than this, bytes, nothing is written: a database on the same disk needs it more. */
const FREE_MIN = 256 * MB;
/** What nobody has finished writing for this long, nobody will, milliseconds. */
const ABANDONED_MS = 60_000;
const UNFINISHED = '.new';
const DIGEST_BYTES = 32;
/** Characters of a key. */
export const KEY_LENGTH = 27;
/** The names of pictures, finished or not. Whatever else is in the folder stays there. */
const OURS = new RegExp(`^[\\w-]{${KEY_LENGTH}}\\.png(\\.[\\w-]+\\${UNFINISHED})?$`);

export interface KeptPicturesOptions {
  folder: string;
  maxBytes?: number;
  tidyAfter?: number;
  freeMin?: number;
  /** Is told why a picture could not be kept, once until one can be. */
  onError: (error: unknown) => void;
}

/**
 * Pictures in a folder. It is its own list, so that several processes can share it: whether a file is there says whether
 * there is a picture, and its time when it was last asked for. After its end each has the digest of its bytes: one that a
 * crash has cut is as good as none. Nothing here is needed: without the folder, pictures are drawn each time.
 */
export class KeptPictures {
  readonly #options: Required<KeptPicturesOptions>;
  #written = Infinity;
  #tidying: Promise<void> | undefined;
  #failing = false;

  constructor(options: KeptPicturesOptions) {
    this.#options = { maxBytes: KEPT_MAX, tidyAfter: TIDY_AFTER, freeMin: FREE_MIN, ...options };
  }

  /** The picture under this key, unless there is none, or a broken one. */
  async find(key: string): Promise<Buffer | null> {
    const file = this.#fileOf(key);
    const bytes = await readFile(file).catch(() => null);
    if (!bytes) return null;
    const png = bytes.subarray(0, -DIGEST_BYTES);
    if (!digestOf(png).equals(bytes.subarray(-DIGEST_BYTES))) return null;
    const now = new Date();
    await utimes(file, now, now).catch(() => undefined);
    return png;
  }

  /** Keeps a picture, if it can. Never throws. @param key so many characters of base64url as KEY_LENGTH says */
  async keep(key: string, png: Buffer): Promise<void> {
    try {
      if (!(await this.#hasSpace())) return;
      await this.#write(this.#fileOf(key), Buffer.concat([png, digestOf(png)]));
      this.#written += png.length;
      if (this.#written >= this.#options.tidyAfter) await this.#tidyOnce();
      this.#failing = false;
    } catch (error) {
      if (!this.#failing) this.#options.onError(error);
      this.#failing = true;
    }
  }

  async #hasSpace(): Promise<boolean> {
    const { folder, freeMin } = this.#options;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize >= freeMin;
  }

  /** Whole or not at all. Of several processes that write the same, the last one stays. */
  async #write(file: string, bytes: Buffer): Promise<void> {
    const temporary = `${file}.${randomUUID()}${UNFINISHED}`;
    try {
      await writeFile(temporary, bytes, { mode: 0o600, flag: 'wx' });
      await rename(temporary, file);
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
  }

  #tidyOnce(): Promise<void> {
    return (this.#tidying ??= this.#tidy().finally(() => (this.#tidying = undefined)));
  }

  /** Removes what nobody finished, and the pictures that were not asked for the longest, until the rest fits. */
  async #tidy(): Promise<void> {
    const { folder, maxBytes } = this.#options;
    this.#written = 0;
    const pictures: { file: string; size: number; askedAt: number }[] = [];
    for (const name of await readdir(folder)) {
      if (!OURS.test(name)) continue;
      const file = join(folder, name);
      // Another process may have removed it.
      const stats = await stat(file).catch(() => null);
      if (!stats?.isFile()) continue;
      const picture = { file, size: stats.size, askedAt: stats.mtimeMs };
      if (!name.endsWith(UNFINISHED)) pictures.push(picture);
      else if (Date.now() - stats.mtimeMs > ABANDONED_MS) await rm(file, { force: true });
    }
    let total = pictures.reduce((sum, { size }) => sum + size, 0);
    for (const { file, size } of pictures.sort((a, b) => a.askedAt - b.askedAt)) {
      if (total <= maxBytes) break;
      await rm(file, { force: true });
      total -= size;
    }
  }

  #fileOf(key: string): string {
    return join(this.#options.folder, `${key}.png`);
  }
}

const digestOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest();
