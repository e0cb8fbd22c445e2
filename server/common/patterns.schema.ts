/** What ids and codes look like. Apart from the zod schemas, which a page need not load to look at an address. */

export const NODE_ID_PATTERN = /^[a-zA-Z0-9_-]{2,64}$/;
export const REGION_PATTERN = /^[A-Z0-9_-]{1,16}$/;
