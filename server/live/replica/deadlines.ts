/**
 * The moments at which rows change by the passage of time alone, such as a peer going offline. Each id is held
 * once, however often its moment is put off: a heartbeat costs one look-up.
 */
export class Deadlines {
  readonly #bySecond = new Map<number, string[]>();
  readonly #secondOf = new Map<string, number>();

  /** @param until the last moment (ms) before the change; Infinity if there is none */
  expect(id: string, until: number): void {
    if (until === Infinity) return;
    const second = Math.floor(until / 1000);
    const expected = this.#secondOf.get(id);
    // Its moment was put off: the id is found again when the earlier one comes.
    if (expected !== undefined && expected <= second) return;
    this.#secondOf.set(id, second);
    const ids = this.#bySecond.get(second);
    if (ids) ids.push(id);
    else this.#bySecond.set(second, [id]);
  }

  /**
   * The ids whose moment has passed, each once.
   * @param now ms
   * @param untilOf the current moment of an id; undefined if it is gone
   */
  passed(now: number, untilOf: (id: string) => number | undefined): string[] {
    const passed: string[] = [];
    for (const [second, ids] of [...this.#bySecond]) {
      if (second * 1000 > now) continue;
      this.#bySecond.delete(second);
      for (const id of ids) {
        if (this.#secondOf.get(id) !== second) continue;
        this.#secondOf.delete(id);
        const until = untilOf(id);
        if (until === undefined) continue;
        if (until < now) passed.push(id);
        else this.expect(id, until);
      }
    }
    return passed;
  }
}
