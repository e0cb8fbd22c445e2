/**
 * Keeps a peer process small: blocks pass through memory that is not JavaScript's, and is freed only when V8 looks
 * through its new objects. With the default of 16 MiB for these that is seldom, and glibc keeps an arena for each thread.
 * Both have to be said before the process begins; where they mean nothing they do no harm.
 */
export const PEER_ENVIRONMENT = {
  NODE_OPTIONS: '--max-semi-space-size=2',
  MALLOC_ARENA_MAX: '1',
};
