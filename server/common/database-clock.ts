/**
 * The time by the database's clock: with several servers, whether a node is online must not depend on whose clock
 * is asked. This process's clock is corrected by an offset, which each poll of the database measures.
 */
export class DatabaseClock {
  #offsetMs: number | undefined;

  /** @param local this process's clock, milliseconds since 1970 */
  constructor(private readonly local: () => number = Date.now) {}

  /** Milliseconds since 1970, by the database's clock. */
  readonly now = (): number => this.local() + Math.round(this.offsetMs);

  /** By how much the database's clock is ahead of this process's, milliseconds. */
  get offsetMs(): number {
    return this.#offsetMs ?? 0;
  }

  /**
   * Measures the offset. An answer is exact only to half of the time it took, so an offset within that range is
   * kept, and the time never jumps needlessly.
   * @param read the time by the database's clock, milliseconds since 1970
   */
  async measure(read: () => Promise<number>): Promise<void> {
    const sentAt = this.local();
    const databaseNow = await read();
    const uncertainty = (this.local() - sentAt) / 2;
    const measured = databaseNow - sentAt - uncertainty;
    this.#offsetMs = Math.min(
      Math.max(this.#offsetMs ?? measured, measured - uncertainty),
      measured + uncertainty,
    );
  }
}
