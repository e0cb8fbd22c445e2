import { distribute, DistributeError } from '#db/distribute.ts';
import { loadConfig } from '#server/config.ts';
import { explainStartupError } from '#server/startup-error.ts';

/** `npm run db:distribute`: spreads the tables of heartbeats over a Citus cluster. See docs/scale.md. */
async function main(): Promise<string> {
  const { databaseUrl } = loadConfig();
  if (databaseUrl === undefined)
    throw new DistributeError(
      'The embedded database is one server on one machine. Set DATABASE_URL to a Citus cluster.',
    );
  return distribute(databaseUrl);
}

main().then(
  (done) => console.log(done),
  (error: unknown) => {
    console.error(error instanceof DistributeError ? error.message : explainStartupError(error));
    process.exitCode = 1;
  },
);
