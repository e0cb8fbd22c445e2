import { join } from 'node:path';
import { readJsonIfWhole, writeDurable } from '@mesh-registry/protocol/durable-file.ts';
import type { AddressBook } from '../book/address-book.ts';
import type { Conduct } from '../guard/conduct.ts';

/** Several refusals in a row are stored as one, milliseconds. */
const CONDUCT_DELAY_MS = 1000;

/** What a peer keeps and can do without: whom it has reached, and whom it refuses. */
export class PeerFiles {
  readonly #book: string;
  readonly #conduct: string;
  #savingConduct: NodeJS.Timeout | undefined;

  /** @param onFault is told why something could not be stored */
  constructor(
    directory: string,
    private readonly onFault: (message: string) => void,
  ) {
    this.#book = join(directory, 'peers.json');
    this.#conduct = join(directory, 'conduct.json');
  }

  /** What was kept of the address book; null: nothing, or it is damaged. */
  readBook(): unknown {
    return readJsonIfWhole(this.#book);
  }

  /** What was kept of how peers behaved; null: nothing, or it is damaged. */
  readConduct(): unknown {
    return readJsonIfWhole(this.#conduct);
  }

  saveBook({ state }: AddressBook): void {
    this.store(() => writeDurable(this.#book, JSON.stringify(state)));
  }

  /** Not for each peer: whoever comes with many identities would keep the disk busy. */
  saveConductSoon(conduct: Conduct): void {
    this.#savingConduct ??= setTimeout(() => this.saveConduct(conduct), CONDUCT_DELAY_MS).unref();
  }

  saveConduct({ state }: Conduct): void {
    clearTimeout(this.#savingConduct);
    this.#savingConduct = undefined;
    this.store(() => writeDurable(this.#conduct, JSON.stringify(state)));
  }

  /** A full disk ends nothing: what is in memory goes on, and is stored the next time. */
  store(write: () => void): void {
    try {
      write();
    } catch (error) {
      this.onFault((error as Error).message);
    }
  }
}
