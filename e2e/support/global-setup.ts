import { build, isBuilt } from '../../scripts/build.mjs';
import { createTemplate } from './database.ts';

/** What the tests start is what `npm start` runs, each on a copy of one database. */
export default async function setup(): Promise<() => Promise<void>> {
  if (!isBuilt()) await build({ quiet: true });
  const template = await createTemplate();
  return () => template.remove();
}
