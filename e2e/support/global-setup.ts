import { build, isBuilt } from '../../scripts/build.mjs';
import { createTemplate } from './database.ts';

/** The tests start what `npm start` runs, each on a copy of one database. */
export default async function setup(): Promise<() => Promise<void>> {
  if (!isBuilt()) await build({ quiet: true });
  const template = await createTemplate();
  return () => template.remove();
}
