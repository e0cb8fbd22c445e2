import { openDatabase } from '#db/client.ts';
import { parseConfig } from '#server/config.ts';
import { createLog } from '#server/log.ts';
import { createServices } from '#server/services.ts';
import { accept } from '../../test/support/decisions.ts';
import type { Data } from './database.ts';

/** Activates names in the database of a server that has not started yet. The public API cannot activate any. */
export async function activateNames(
  data: Data,
  names: { name: string; nodeId: string; kinds: ('node' | 'compute')[] }[],
): Promise<void> {
  const config = parseConfig(data);
  const database = await openDatabase(config);
  const services = await createServices({ config, database, log: createLog('error') });
  for (const name of names) {
    const { id } = await services.registration.start({
      action: 'start',
      class: 'M',
      region: 'EU',
      ...name,
    });
    await services.registration.confirm({ id });
    await accept(services, { id, reviewer: 'ada' });
  }
  await services.stop();
  await database.close();
}
