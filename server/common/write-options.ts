/**
 * Runs `store`, which may add ids that are not known yet, within the limit of a client.
 * @param most how many it may add
 * @param created how many it has added
 * @throws AppError `rate_limited`, and what `store` throws
 */
export type NewIdLimit = <T>(
  most: number,
  store: () => Promise<T>,
  created: (result: T) => number,
) => Promise<T>;

/** Who writes, and within what limit. */
export interface WriteOptions {
  /** The limit of new ids. Default: none. */
  newIds?: NewIdLimit;
  /** The key that has signed the request; null: none. */
  signer?: string | null;
}

/** For writes that no limit of new ids holds back. */
export const withoutLimit: NewIdLimit = (_, store) => store();
