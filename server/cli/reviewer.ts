import { parseArgs } from 'node:util';
import { SYSTEM, type ReviewerRole } from '@mesh-registry/protocol/values.schema.ts';
import { openDatabase, type Db } from '#db/client.ts';
import { loadConfig, type Config } from '#server/config.ts';
import { createLog } from '#server/log.ts';
import { isAppError, parse } from '#server/common/errors.schema.ts';
import { Invite } from '#server/accounts/accounts.schema.ts';
import {
  accountOf,
  anyAdministrator,
  invite,
  joinLink,
  listReviewers,
  renewAccess,
} from '#server/accounts/index.ts';
import { run, UsageError } from './command.ts';

/** `npm run reviewer`: manages accounts from the command line, for whoever runs the service. */

const USAGE = `npm run reviewer -- add <email> [--role administrator|reviewer]
    prints a link that creates an account for this address, or renews access to an existing one
npm run reviewer -- list
    lists all accounts`;

/** Who a link is for. Without a role the first account is an administrator, and later ones are reviewers. */
type Invitee = { email: string; role?: ReviewerRole | undefined };

run(
  USAGE,
  async (args) => {
    // Before anything else: a typing mistake must not create a database.
    const invitee = readArguments(args);
    const config = loadConfig();
    const log = createLog('error');
    const database = await openDatabase(config, { log, ownership: 'own or join' });
    try {
      // Before the database is closed: a link is shown once, and closing may take seconds.
      console.log(invitee ? await add(database.db, config, invitee) : await listed(database.db));
    } finally {
      await database.close();
    }
  },
  (error) =>
    isAppError(error)
      ? error.issues?.map(({ path, message }) => `${path} ${message}`).join('\n')
      : undefined,
);

/** @returns null for `list` */
function readArguments(args: string[]): Invitee | null {
  const { positionals, role } = split(args);
  const [command, ...rest] = positionals;
  switch (command) {
    case 'add':
      if (rest.length !== 1) throw new UsageError('add needs one email address.');
      return parse(Invite.partial({ role: true }), { email: rest[0], role }, 'invalid_body');
    case 'list':
      if (rest.length > 0 || role !== undefined) throw new UsageError('list takes no arguments.');
      return null;
    case undefined:
      throw new UsageError('A command is missing.');
    default:
      throw new UsageError(`Unknown command “${command}”.`);
  }
}

function split(args: string[]) {
  try {
    const options = { role: { type: 'string' } } as const;
    const { positionals, values } = parseArgs({ args, allowPositionals: true, options });
    return { positionals, role: values.role };
  } catch {
    throw new UsageError('The only option is --role, followed by a role.');
  }
}

async function add(db: Db, config: Config, { email, role }: Invitee): Promise<string> {
  const context = { db, clock: Date.now };
  if (!(await accountOf(db, email))) {
    const as = role ?? ((await anyAdministrator(db)) ? 'reviewer' : 'administrator');
    const token = await invite(context, SYSTEM, { email, role: as });
    return withLink(`This link creates an account for ${email}, as ${as}.`, config, token);
  }
  if (role !== undefined)
    throw new UsageError(
      `${email} already has an account. An administrator can set its role at /review/reviewers.`,
    );
  const token = await renewAccess(context, SYSTEM, email);
  return withLink(
    `${email} already has an account. This link sets a new password, turns off the second factor and ends all sessions.`,
    config,
    token,
  );
}

/** Names the database: a service with another one does not know the link. */
function withLink(what: string, config: Config, token: string): string {
  const origin = config.publicUrl ?? `http://localhost:${config.port}`;
  const database =
    config.databaseUrl === undefined ? `embedded, in ${config.dataDir}` : 'PostgreSQL';
  return `${what}\nIt can be used once, within 7 days, at the service with this database (${database}):\n\n  ${joinLink(origin, token)}\n`;
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
