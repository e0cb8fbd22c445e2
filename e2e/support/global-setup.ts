import { build, isBuilt } from '../../scripts/build.mjs';
import { prepareDatabases } from './database.ts';

/** The tests start what `npm start` runs, each on a clone of one database. */
export default async function setup(): Promise<() => Promise<void>> {
  if (!isBuilt()) await build({ quiet: true });
  return prepareDatabases();
}
