/** Parameters of an address; those that are undefined are left out. */
export type Query = Record<string, string | undefined>;

/** @returns a path with its parameters, encoded */
export function address(path: string, query: Query): string {
  const given = Object.entries(query).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given).toString()}`;
}

/** A part of a path, encoded. */
export const segment = encodeURIComponent;
