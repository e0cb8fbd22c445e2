import { parseArgs } from 'node:util';
import { openDatabase, type Db } from '#db/client.ts';
import { DirectoryInUseError } from '#db/lock.ts';
import { ConfigError, loadConfig, type Config } from '#server/config.ts';
import { isAppError, parse } from '#server/common/errors.schema.ts';
import { Invite } from '#server/accounts/accounts.schema.ts';
import { SYSTEM } from '#server/common/values.schema.ts';
import type { ReviewerRole } from '#server/accounts/values.schema.ts';
import {
  accountOf,
  anyAdministrator,
  invite,
  joinLink,
  listReviewers,
  renewAccess,
} from '#server/accounts/index.ts';
import { explainProblem } from '#server/http/startup-error.ts';

/** `npm run reviewer`: accounts by whoever has the machine, without a page. */

const USAGE = `npm run reviewer -- add <email> [--role administrator|reviewer]
    prints a link that opens an account for this address, or renews the access to the one it has
npm run reviewer -- list
    lists all accounts`;

/** The arguments make no sense. */
class UsageError extends Error {}

/** Whom a link is for; without a role the first account administers, and later ones review. */
type Invitee = { email: string; role?: ReviewerRole | undefined };

async function main(args: string[]): Promise<void> {
  // First of all: a slip of the keyboard must not leave a new database behind.
  const invitee = readArguments(args);
  const config = loadConfig();
  const database = await openDatabase(config);
  try {
    console.log(invitee ? await add(database.db, config, invitee) : await listed(database.db));
  } finally {
    await database.close();
  }
}

/** @returns null for `list` */
function readArguments(args: string[]): Invitee | null {
  const { positionals, role } = split(args);
  const [command, ...rest] = positionals;
  switch (command) {
    case 'add':
      if (rest.length !== 1) throw new UsageError('add takes one e-mail address.');
      return parse(Invite.partial({ role: true }), { email: rest[0], role }, 'invalid_body');
    case 'list':
      if (rest.length > 0 || role !== undefined) throw new UsageError('list takes nothing more.');
      return null;
    case undefined:
      throw new UsageError('Say what to do.');
    default:
      throw new UsageError(`There is no command “${command}”.`);
  }
}

function split(args: string[]) {
  try {
    const options = { role: { type: 'string' } } as const;
    const { positionals, values } = parseArgs({ args, allowPositionals: true, options });
    return { positionals, role: values.role };
  } catch {
    throw new UsageError('The only option is --role, with a role after it.');
  }
}

async function add(db: Db, config: Config, { email, role }: Invitee): Promise<string> {
  const context = { db, clock: Date.now };
  if (!(await accountOf(db, email))) {
    const as = role ?? ((await anyAdministrator(db)) ? 'reviewer' : 'administrator');
    const token = await invite(context, SYSTEM, { email, role: as });
    return withLink(`This link opens an account for ${email}, as ${as}.`, config, token);
  }
  if (role !== undefined)
    throw new UsageError(
      `${email} has an account. An administrator sets its role, on the page /review/reviewers.`,
    );
  const token = await renewAccess(context, SYSTEM, email);
  return withLink(
    `${email} has an account. This link sets a new password, turns the second factor off and ends all sessions.`,
    config,
    token,
  );
}

/** With the database, since a service with another one knows nothing of the link. */
function withLink(what: string, config: Config, token: string): string {
  const origin = config.publicUrl ?? `http://localhost:${config.port}`;
  const database =
    config.databaseUrl === undefined ? `embedded, in ${config.dataDir}` : 'PostgreSQL';
  return `${what}\nIt is good once, for 7 days, at the service with this database (${database}):\n\n  ${joinLink(origin, token)}\n`;
}

async function listed(db: Db): Promise<string> {
  const { reviewers, links } = await listReviewers({ db, clock: Date.now });
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

function explain(error: unknown): string {
  if (error instanceof UsageError) return `${error.message}\n\n${USAGE}`;
  if (error instanceof DirectoryInUseError)
    return `The service is running (process ${error.pid}), and its embedded database is open to one process only.\nNothing was changed. An administrator makes links on its page /review/reviewers; if there is none yet, its start has printed a link.\nIf nobody can sign in: stop the service, run this again, start the service.`;
  if (error instanceof ConfigError)
    return `${error.message}\nThis takes the same configuration as npm start.`;
  if (isAppError(error))
    return (
      error.issues?.map(({ path, message }) => `${path} ${message}`).join('\n') ?? error.message
    );
  return explainProblem(error);
}

main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(explain(error));
  process.exitCode = 1;
});
