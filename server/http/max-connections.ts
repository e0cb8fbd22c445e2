/** Descriptors for the database, files being sent and outgoing requests. */
const RESERVE = 100;
/** Of the others, the share for connections: a connection that is sent a file takes two. */
const SHARE = 0.8;

/**
 * As many connections as the process's limit of open files allows, with a reserve: without descriptors, it
 * could accept nobody and open nothing. Call it before connections exist: the report names their hosts.
 */
export function defaultMaxConnections(limit = openFilesLimit()): number {
  return Math.max(1, Math.floor((limit - RESERVE) * SHARE));
}

/** Infinity where there is none, or the system does not say. */
function openFilesLimit(): number {
  const { userLimits } = (process.report?.getReport() ?? {}) as {
    userLimits?: { open_files?: { soft?: number | string } };
  };
  const limit = Number(userLimits?.open_files?.soft);
  return Number.isNaN(limit) ? Infinity : limit;
}
