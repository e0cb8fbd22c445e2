import { build, isBuilt } from '../../scripts/build.mjs';

/** What the tests start is what `npm start` runs. */
export default async function setup(): Promise<void> {
  if (!isBuilt()) await build({ quiet: true });
}
