import { MeshRegistry } from '@mesh-registry/client/index.ts';

/** What `init` asks a service before it is configured. */
export interface ServiceCheck {
  /** Null if it answered as a Mesh Registry. */
  problem: string | null;
  /** To how many degrees it rounds coordinates. */
  grid: number;
  secretRequired: boolean;
}

/** A service that says nothing else rounds to this, degrees. */
const USUAL_GRID = 0.5;

export async function checkService(url: string): Promise<ServiceCheck> {
  const described = await new MeshRegistry({ url, retries: 0, timeoutMs: 5000 }).describePing();
  if (!described.ok)
    return { problem: described.problem.message, grid: USUAL_GRID, secretRequired: true };
  const { filters, auth } = described.value;
  const [, degrees] = /grid of ([\d.]+) degrees/.exec(filters.join('\n')) ?? [];
  return {
    problem: null,
    grid: Number(degrees) || USUAL_GRID,
    secretRequired: auth.required,
  };
}
