/** DATABASE_URL: one database, on one server or on several of which one accepts writes. */
export interface DatabaseTarget {
  /** For the driver: with the first host only, without the parameters that we understand ourselves. */
  url: string;
  /** Empty: the one host of the URL. */
  hosts: { host: string; port: number }[];
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
 * Understands, beyond what the driver does, several hosts, `target_session_attrs=read-write` (or `primary`; it is
 * implied by several hosts) and `pgbouncer=true`, which poolers’ guides use.
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
  if (attributes === null && !pooled) return { url: single, hosts, pooled };
  for (const own of ['target_session_attrs', 'pgbouncer']) url.searchParams.delete(own);
  return { url: url.href, hosts, pooled };
}

function parseHost(text: string): { host: string; port: number } {
  const [, host, port] = HOST.exec(text) ?? [];
  if (host === undefined) throw new Error('must list hosts as host:port, separated by commas');
  return {
    host: decodeURIComponent(host.replace(/^\[|\]$/g, '')),
    port: port === undefined ? DEFAULT_PORT : Number(port),
  };
}
