/**
 * Who waits, in one line for each client: the lines take turns. When all places are taken, the longest line gives up its
 * last place to a shorter one; of several that are as long, any does, so that no crowd keeps a newcomer out.
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

  /** @returns whether there was a place: if not, no line is longer than this one */
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

  /** Takes the last place of one of the longest lines, if they are longer than one of `own`. */
  #makeRoom(own: number): boolean {
    const most = Math.max(own + 1, ...Array.from(this.#lines.values(), ({ length }) => length));
    const longest = [...this.#lines].filter(([, { length }]) => length === most);
    const [line = '', places = []] = longest[Math.floor(Math.random() * longest.length)] ?? [];
    const last = places.at(-1);
    if (!last) return false;
    this.leave(line, last);
    last.refuse();
    return true;
  }
}
