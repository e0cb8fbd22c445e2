import type { TestServer } from '../../test/support/server.ts';
import { accept } from '../../test/support/decisions.ts';

interface Name {
  name: string;
  nodeId: string;
  kinds: ('node' | 'compute')[];
}

/** Activates names, as operators and reviewers do. The public API cannot activate any. */
export async function activateNames({ services }: TestServer, names: Name[]): Promise<void> {
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
}
