// node scripts/run.mjs PROGRAM …: builds if the sources have changed since the last build, then runs a program of the
// build in this same process, so that Ctrl-C and SIGTERM reach it: main for npm start, and those of npm run reviewer,
// backup, restore, registry-log and db:distribute.
import { build, isBuilt } from './build.mjs';

const [program] = process.argv.splice(2, 1);
if (!isBuilt()) {
  if (program === 'main') console.log('Building once; the next start is quick.');
  await build({ quiet: true });
}
await import(`../build/${program}.js`);
