// npm run reviewer: needs what npm start needs, and nothing else.
import { build, isBuilt } from './build.mjs';

if (!isBuilt()) await build({ quiet: true });
await import('../build/reviewer.js');
