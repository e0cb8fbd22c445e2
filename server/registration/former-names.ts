import { and, eq, isNotNull } from 'drizzle-orm';
import { registrations } from '#db/schema/index.ts';
import type { ServiceContext } from '#server/context.ts';
import { withRetry } from '#server/common/with-retry.ts';

/**
 * The names that were active once and are not any more, in memory: whoever asks for names that never were costs no query.
 * A name that has become active again may still be among them.
 */
export class FormerNames {
  /** As the database had them; null: it is to be asked. */
  #read: ReadonlySet<string> | null = null;
  #reading: Promise<ReadonlySet<string>> | null = null;
  /** Those that ended since the start, at this server or another one. */
  readonly #ended = new Set<string>();

  constructor(private readonly context: Pick<ServiceContext, 'db' | 'live' | 'log'>) {
    const { live } = context;
    live.registrations.follow({
      changed: ({ name, status }, before) => {
        if (before?.status === 'active' && status !== 'active') this.#ended.add(name);
      },
      removed: ({ name, status }) => {
        if (status === 'active') this.#ended.add(name);
      },
    });
    // What happened meanwhile was not heard.
    live.reloading.on(() => {
      this.#read = null;
      this.#reading = null;
    });
  }

  /** Whether the database may know times in which the name was active. @param name normalised */
  has(name: string): boolean {
    if (this.#ended.has(name)) return true;
    if (this.#read) return this.#read.has(name);
    this.load().catch((error: unknown) =>
      this.context.log.warn({ err: error }, 'could not read the names that were active'),
    );
    return true;
  }

  async load(): Promise<void> {
    const reading = (this.#reading ??= this.#query());
    try {
      const read = await reading;
      // Unless it began before everything was read again.
      if (this.#reading === reading) this.#read = read;
    } finally {
      if (this.#reading === reading) this.#reading = null;
    }
  }

  async #query(): Promise<ReadonlySet<string>> {
    const rows = await withRetry(() =>
      this.context.db
        .selectDistinct({ name: registrations.name })
        .from(registrations)
        .where(and(eq(registrations.status, 'rejected'), isNotNull(registrations.activatedAt))),
    );
    return new Set(rows.map(({ name }) => name));
  }
}
