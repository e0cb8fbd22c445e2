// npm run reviewer: builds if the sources changed since the last build, then runs the command.
import { build, isBuilt } from './build.mjs';

if (!isBuilt()) await build({ quiet: true });
await import('../build/reviewer.js');
