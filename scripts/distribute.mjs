// npm run db:distribute: builds if the sources changed since the last build, then runs the command.
import { build, isBuilt } from './build.mjs';

if (!isBuilt()) await build({ quiet: true });
await import('../build/distribute.js');
