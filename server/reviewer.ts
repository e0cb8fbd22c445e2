import { parseArgs } from 'node:util';
import { openDatabase, type Db } from '../db/client.ts';
import { DirectoryInUseError } from '../db/lock.ts';
import { ConfigError, loadConfig, type Config } from './config.ts';
import { joinLink } from './join-link.ts';
import { isAppError } from './schemas/errors.ts';
import { SYSTEM } from './schemas/values.ts';
import { accountOf, list } from './services/reviewers.ts';
import { anyAdministrator, invite, renewAccess } from './services/invitations.ts';

/** `npm run reviewer`: accounts by whoever has the machine, without a page. */

const USAGE = `npm run reviewer -- add <email> [--role administrator|reviewer]
    prints a link that opens an account for this address, or renews the access to the one it has
npm run reviewer -- list
    lists all accounts`;

/** The arguments make no sense. */
class UsageError extends Error {}

async function main(args: string[]): Promise<void> {
  const { positionals, values } = readArguments(args);
  const [command, email, ...more] = positionals;
  const adds = command === 'add' && email !== undefined && more.length === 0;
  if (!adds && !(command === 'list' && positionals.length === 1)) throw new UsageError(USAGE);
  const config = loadConfig();
  const database = await openDatabase(config);
  try {
    console.log(
      adds ? await add(database.db, config, email, values.role) : await listed(database.db),
    );
  } finally {
    await database.close();
  }
}

function readArguments(args: string[]) {
  try {
    return parseArgs({ args, allowPositionals: true, options: { role: { type: 'string' } } });
  } catch {
    throw new UsageError(USAGE);
  }
}

async function add(db: Db, config: Config, typed: string, role?: string): Promise<string> {
  const context = { db, clock: Date.now };
  const email = typed.trim().toLowerCase();
  const origin = config.publicUrl ?? `http://localhost:${config.port}`;
  if (await accountOf(db, email)) {
    if (role !== undefined)
      throw new UsageError(
        `${email} has an account. An administrator sets roles: /review/reviewers`,
      );
    const token = await renewAccess(context, SYSTEM, email);
    return `${email} has an account. This link sets a new password, turns the second factor off and ends all sessions.\nIt is good once, for 7 days:\n\n  ${joinLink(origin, token)}\n`;
  }
  const as = role ?? ((await anyAdministrator(db)) ? 'reviewer' : 'administrator');
  const token = await invite(context, SYSTEM, { email, role: as });
  return `This link opens an account for ${email}, as ${as}. It is good once, for 7 days:\n\n  ${joinLink(origin, token)}\n`;
}

async function listed(db: Db): Promise<string> {
  const { reviewers, links } = await list({ db, clock: Date.now });
  const rows = [
    ...reviewers.map(({ email, role, twoFactorEnabled, lastSignInAt, deactivatedAt }) => [
      email,
      role,
      deactivatedAt ? 'deactivated' : 'active',
      twoFactorEnabled ? 'second factor' : 'password only',
      lastSignInAt === null ? 'never signed in' : `signed in ${lastSignInAt}`,
    ]),
    ...links
      .filter(({ renews }) => !renews)
      .map(({ email, role, expiresAt }) => [email, role, 'invited', `until ${expiresAt}`]),
  ];
  if (rows.length === 0) return `There are no accounts yet.\n\n${USAGE}`;
  return rows
    .map((row) =>
      row
        .map((cell) => cell.padEnd(14))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** An error whose message is made for the person at the terminal. */
function explain(error: unknown): string {
  if (error instanceof DirectoryInUseError)
    return `The service is running (process ${error.pid}), and its embedded database is open to one process only.\nMake the link on its page /review/reviewers. If nobody can sign in there: stop the service, run this again, start the service.`;
  if (error instanceof UsageError || error instanceof ConfigError) return error.message;
  if (isAppError(error))
    return (
      error.issues?.map(({ path, message }) => `${path} ${message}`).join('\n') ?? error.message
    );
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(explain(error));
  process.exitCode = 1;
});
