// npm start: builds if the sources have changed since the last build, then runs the server in this same
// process, so that Ctrl-C and SIGTERM reach it.
import { build, isBuilt } from './build.mjs';

if (!isBuilt()) {
  console.log('Building once; the next start is quick.');
  await build({ quiet: true });
}
await import('../build/main.js');
