import type { Build } from './builds.ts';
import { createDatabases } from './databases.ts';
import type { Result } from './report.ts';
import { Unsupported, type RunOptions, type Scenario, type Setup } from './scenarios/scenario.ts';
import { startService, type Service } from './servers.ts';

export interface Plan {
  scenarios: Scenario[];
  /** Each is measured in every round, in alternation. */
  builds: Build[];
  rounds: number;
  processes: number[];
  embedded: boolean;
  /** Instead of the scenarios' own number of nodes, one after the other. */
  nodes?: number[] | undefined;
  /** Arguments of Node for the service. */
  nodeArgs: string[];
  options: RunOptions;
}

/** Runs every scenario in each of its setups; calls `done` with each result. */
export async function runPlan(plan: Plan, done: (result: Result) => void): Promise<Result[]> {
  const databases = createDatabases();
  const results: Result[] = [];
  /** Builds that could not be started, with the reason: they are not tried again. */
  const broken = new Map<Build, unknown>();
  try {
    for (const { setup, scenarios } of setupsOf(plan)) {
      const own = scenarios.map(({ name }): Result => ({ scenario: name, setup, builds: {} }));
      results.push(...own);
      for (let round = 1; round <= plan.rounds; round++)
        for (const build of plan.builds)
          try {
            if (broken.has(build)) throw broken.get(build);
            await withServices(databases, build, setup, plan.nodeArgs, async (services) => {
              for (const [n, scenario] of scenarios.entries())
                await runScenario(scenario, services, build, plan.options, own[n] as Result);
            });
          } catch (error) {
            own.forEach((result) => skip(result, build, error));
            if (results.every(({ builds }) => !builds[build.label]?.rounds.length))
              broken.set(build, error);
          }
      own.forEach(done);
    }
  } finally {
    await databases.stop();
  }
  return results;
}

/** Scenarios that need the same setup share it. */
function setupsOf(plan: Plan): { setup: Setup; scenarios: Scenario[] }[] {
  const groups = new Map<string, { setup: Setup; scenarios: Scenario[] }>();
  const add = (scenario: Scenario, own: Partial<Setup>) => {
    const setup: Setup = {
      database: 'PostgreSQL',
      processes: 1,
      servers: 1,
      ...scenario.setup,
      ...own,
    };
    const { database, nodes, processes, servers } = setup;
    const owner = scenario.alone ? scenario.name : '';
    const key = JSON.stringify([database, nodes, processes, servers, owner]);
    const group = groups.get(key) ?? { setup, scenarios: [] };
    group.scenarios.push(scenario);
    groups.set(key, group);
  };
  for (const scenario of plan.scenarios)
    for (const nodes of plan.nodes ?? [scenario.setup.nodes]) {
      for (const processes of plan.processes)
        if (processes === 1 || !scenario.oneProcess) add(scenario, { nodes, processes });
      if (scenario.embedded && plan.embedded) add(scenario, { nodes, database: 'embedded' });
    }
  return [...groups.values()];
}

async function withServices(
  databases: ReturnType<typeof createDatabases>,
  build: Build,
  setup: Setup,
  nodeArgs: string[],
  use: (services: Service[]) => Promise<void>,
): Promise<void> {
  const database = await databases.create(setup.database, build, setup.nodes);
  const services: Service[] = [];
  try {
    for (let n = 0; n < setup.servers; n++)
      services.push(
        await startService(build, database.env, { processes: setup.processes, nodeArgs }),
      );
    await use(services);
  } finally {
    await Promise.all(services.map((service) => service.stop()));
    await database.drop();
  }
}

/** A build that cannot do it, or fails at it, does not stop the others. */
async function runScenario(
  scenario: Scenario,
  services: Service[],
  build: Build,
  options: RunOptions,
  result: Result,
): Promise<void> {
  const [service] = services;
  if (!service) throw new Error('A setup has at least one server.');
  try {
    const figures = await scenario.run({ setup: result.setup, service, services }, options);
    (result.builds[build.label] ??= { rounds: [] }).rounds.push(figures);
  } catch (error) {
    skip(result, build, error);
  }
}

function skip(result: Result, build: Build, error: unknown): void {
  const own = (result.builds[build.label] ??= { rounds: [] });
  if (error instanceof Unsupported) own.skipped = error.message;
  else {
    own.skipped = `failed: ${String(error)}`;
    process.exitCode = 1;
  }
}
