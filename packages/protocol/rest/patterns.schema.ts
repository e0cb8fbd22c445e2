/** Patterns of ids and codes. Apart from the zod schemas, which pages need not load to read a URL. */

export const NODE_ID_PATTERN = /^[a-zA-Z0-9_-]{2,64}$/;
export const REGION_PATTERN = /^[A-Z0-9_-]{1,16}$/;
