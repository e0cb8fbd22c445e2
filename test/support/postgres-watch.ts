import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { once } from 'node:events';

/** What PostgreSQL has done for the connections that went through a watch. */
export interface Watch {
  /** The database's URL, by way of the watch. */
  url: string;
  /** The most rows that a statement has sent. */
  mostRows: number;
  /** The most statements that a transaction has had, its beginning and its end included. */
  mostStatements: number;
  /** Called with what each statement did, such as `INSERT 0 5000`, before its answer is passed on. */
  onDone: ((command: string, cut: () => void) => Promise<void> | void) | null;
  stop: () => void;
}

/**
 * Relays connections to a database, and counts in its answers what they cost: so a test can tell how large a unit of work
 * is, on any machine. https://www.postgresql.org/docs/current/protocol-message-formats.html
 */
export async function watchPostgres(database: string): Promise<Watch> {
  const target = new URL(database);
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect({ port: Number(target.port), host: target.hostname, noDelay: true });
    const cut = () => {
      near.destroy();
      far.destroy();
    };
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', cut).on('close', cut);
    }
    near.pipe(far);
    void (async () => {
      let rows = 0;
      let statements = 0;
      let rest = Buffer.alloc(0);
      for await (const chunk of far as AsyncIterable<Buffer>) {
        rest = Buffer.concat([rest, chunk]);
        let at = 0;
        // Each message is a letter, its length without that, and its contents.
        while (rest.length >= at + 5 && rest.length > at + rest.readUInt32BE(at + 1)) {
          const end = at + 1 + rest.readUInt32BE(at + 1);
          const type = String.fromCharCode(rest[at] ?? 0);
          if (type === 'D') rows++;
          if (type === 'C') {
            watch.mostRows = Math.max(watch.mostRows, rows);
            watch.mostStatements = Math.max(watch.mostStatements, ++statements);
            rows = 0;
            await watch.onDone?.(rest.toString('latin1', at + 5, end - 1), cut);
          }
          // Ready for the next one; `I`: no transaction is open.
          if (type === 'Z' && rest[at + 5] === 73) statements = 0;
          at = end;
        }
        if (!near.destroyed) near.write(rest.subarray(0, at));
        rest = rest.subarray(at);
      }
    })().catch(cut);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = new URL(database);
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as AddressInfo).port);
  const watch: Watch = {
    url: url.href,
    mostRows: 0,
    mostStatements: 0,
    onDone: null,
    stop() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
  return watch;
}
