/**
 * Who waits, in one line for each client: the lines take turns. When all places are taken, the longest line gives up its
 * last place to a shorter one.
 */
export class FairLines<Waiting extends { refuse: () => void }> {
  /** A line that has had its turn goes to the end: a map keeps the order of insertion. None is empty. */
  readonly #lines = new Map<string, Waiting[]>();
  #size = 0;

  /** @param limits.places in all lines @param limits.line in one of them */
  constructor(private readonly limits: { places: number; line: number }) {}

  /** How many wait. */
  get size(): number {
    return this.#size;
  }

  /** @returns whether there was a place */
  enter(line: string, one: Waiting): boolean {
    const own = this.#lines.get(line) ?? [];
    if (own.length >= this.limits.line) return false;
    if (this.#size >= this.limits.places && !this.#makeRoom(own.length)) return false;
    own.push(one);
    this.#lines.set(line, own);
    this.#size++;
    return true;
  }

  /** Nothing happens if it has left already. */
  leave(line: string, one: Waiting): void {
    const own = this.#lines.get(line) ?? [];
    const at = own.indexOf(one);
    if (at < 0) return;
    own.splice(at, 1);
    this.#size--;
    if (own.length === 0) this.#lines.delete(line);
  }

  /** Takes out the first of the line whose turn it is, which then comes last. */
  next(): Waiting | undefined {
    const [turn] = this.#lines;
    if (!turn) return undefined;
    const [line, own] = turn;
    const first = own.shift();
    this.#size--;
    this.#lines.delete(line);
    if (own.length > 0) this.#lines.set(line, own);
    return first;
  }

  /** Takes the last place of the longest line, if that leaves it as long as one of `own` and one more, or longer. */
  #makeRoom(own: number): boolean {
    let longest: Waiting[] = [];
    for (const line of this.#lines.values()) if (line.length > longest.length) longest = line;
    if (longest.length < own + 2) return false;
    this.#size--;
    longest.pop()?.refuse();
    return true;
  }
}
