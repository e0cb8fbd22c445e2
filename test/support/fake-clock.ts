/** A clock for the service that stands still until a test advances it. */
export class FakeClock {
  /** @param now where it starts, milliseconds since 1970 */
  constructor(public now = Date.parse('2026-07-17T12:00:00.000Z')) {}

  /** What the service asks: milliseconds since 1970. */
  readonly read = (): number => this.now;

  /** @param ms milliseconds; negative ones go back */
  advance(ms: number): void {
    this.now += ms;
  }

  /** The moment `ms` milliseconds from now, as the service writes it. */
  iso(ms = 0): string {
    return new Date(this.now + ms).toISOString();
  }
}
