/** DATABASE_URL: one database, on one server or on several of which one accepts writes. */
export interface DatabaseTarget {
  /** What the driver gets: with the first host only, without the parameters that we understand ourselves. */
  url: string;
  /** Empty: the one host of the URL. */
  hosts: { host: string; port: number }[];
  /** The path of a Unix socket, instead of hosts; from `?host=/directory`, as in PostgreSQL's own library. */
  socket: string | undefined;
  /**
   * A pooler shares sessions between clients: nothing may be set for a session or prepared by name. The pool finds
   * out by itself where the pooler says so.
   */
  pooled: boolean;
}

const DEFAULT_PORT = 5432;
const AUTHORITY = /^(postgres(?:ql)?:\/\/(?:[^@/?#]*@)?)([^/?#]*)(.*)$/;
const HOST = /^(\[[\d.:a-f]+\]|[^:[\]]+)(?::(\d{1,5}))?$/i;

/**
 * Understands, beyond what the driver does, several hosts, a socket's directory (`?host=/run/postgresql`),
 * `target_session_attrs=read-write` (or `primary`; it is implied by several hosts) and `pgbouncer=true`, which poolers’
 * guides use.
 * @throws Error with a message that continues “DATABASE_URL …”
 */
export function parseDatabaseUrl(text: string): DatabaseTarget {
  const [, start, authority, rest] = AUTHORITY.exec(text) ?? [];
  if (start === undefined || authority === undefined || rest === undefined)
    throw new Error('must start with postgres:// or postgresql://');
  const hosts = authority.includes(',') ? authority.split(',').map(parseHost) : [];
  const single = start + (hosts.length > 0 ? authority.split(',')[0] : authority) + rest;
  if (!URL.canParse(single)) throw new Error('must be a valid URL');
  const url = new URL(single);
  const attributes = url.searchParams.get('target_session_attrs');
  if (attributes !== null && !['any', 'read-write', 'primary'].includes(attributes))
    throw new Error(
      `has target_session_attrs=${attributes}, but this service writes: use read-write`,
    );
  const pooled = url.searchParams.get('pgbouncer') === 'true';
  const directory = url.searchParams.get('host');
  if (directory !== null && !/^\.{0,2}\//.test(directory))
    throw new Error('has a host parameter that is not the directory of a Unix socket');
  const socket =
    directory === null ? undefined : `${directory}/.s.PGSQL.${url.port || DEFAULT_PORT}`;
  if (attributes === null && !pooled && !socket) return { url: single, hosts, socket, pooled };
  for (const own of ['target_session_attrs', 'pgbouncer', 'host']) url.searchParams.delete(own);
  return { url: url.href, hosts, socket, pooled };
}

function parseHost(text: string): { host: string; port: number } {
  const [, host, port] = HOST.exec(text) ?? [];
  if (host === undefined) throw new Error('must list hosts as host:port, separated by commas');
  return {
    host: decodeURIComponent(host.replace(/^\[|\]$/g, '')),
    port: port === undefined ? DEFAULT_PORT : Number(port),
  };
}
