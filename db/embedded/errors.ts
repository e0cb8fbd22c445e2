/** Why there is no embedded PostgreSQL, in a sentence for the person who starts the service. */
export class EmbeddedError extends Error {
  override readonly name = 'EmbeddedError';
}

/** What always helps. */
export const A_URL = 'Set DATABASE_URL to a PostgreSQL server of your own instead.';
