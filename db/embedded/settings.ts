/** PostgreSQL's settings for a machine that runs this service and little else. */

export type Settings = Record<string, string | number>;

/** What every acknowledged write depends on. They are PostgreSQL's own defaults; here no file can change them. */
export const DURABLE: Settings = { fsync: 'on', full_page_writes: 'on', synchronous_commit: 'on' };

/** The demo and tests use these: nobody needs the data after the process. A killed process still loses nothing. */
export const PASSING: Settings = { ...DURABLE, fsync: 'off', full_page_writes: 'off' };

/** @param maxConnections of all processes of the service, and of the commands beside it */
export const settingsFor = (maxConnections: number): Settings => ({
  max_connections: maxConnections,
  shared_buffers: '32MB',
  // Its log's files are reused: the disk has more than this of them only under heavy load.
  min_wal_size: '64MB',
  max_wal_size: '256MB',
  // One server alone: nothing is replicated.
  wal_level: 'minimal',
  max_wal_senders: 0,
  max_logical_replication_workers: 0,
  // The system's shared memory is no place for it: systemd removes that when an ordinary user logs out.
  dynamic_shared_memory_type: 'mmap',
  // No processes that read ahead, and none that share a query: statements are small.
  io_method: 'sync',
  max_parallel_workers_per_gather: 0,
  max_parallel_maintenance_workers: 0,
  jit: 'off',
  ssl: 'off',
  timezone: 'UTC',
  ...LOG,
});

/** No statement, and no value of a row, gets into the log: not in a message's details, and not in its statement. */
const LOG: Settings = {
  logging_collector: 'off',
  log_destination: 'stderr',
  // The kind of process and the SQLSTATE; server-log.ts reads them.
  log_line_prefix: '%b|%e|',
  log_timezone: 'UTC',
  log_error_verbosity: 'terse',
  log_min_messages: 'warning',
  log_min_error_statement: 'panic',
  log_statement: 'none',
  log_checkpoints: 'off',
  log_lock_waits: 'off',
  log_autovacuum_min_duration: -1,
  log_temp_files: -1,
  lc_messages: 'C',
};

/** The settings as `postgres` and `initdb` take them on their command line. */
export const asArguments = (settings: Settings): string[] =>
  Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
