// node scripts/run.mjs PROGRAM …: builds if the sources changed since the last build, then runs a program of the
// build: npm run reviewer, backup, restore, registry-log, db:distribute.
import { build, isBuilt } from './build.mjs';

const [program] = process.argv.splice(2, 1);
if (!isBuilt()) await build({ quiet: true });
await import(`../build/${program}.js`);
