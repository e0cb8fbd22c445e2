// npm start: builds if the sources changed since the last build, then serves, in this same process:
// Ctrl-C and SIGTERM reach the server itself.
import { build, isBuilt } from './build.mjs';

if (!isBuilt()) {
  console.log('Building once; the next start is quick.');
  await build({ quiet: true });
}
await import('../build/main.js');
