/**
 * A package that only a tool for the developer's own machine needs, and that is too large to be a dependency. Where it isn't
 * installed, the command says so and ends well, so that a CI which runs it stays green.
 */
export async function optionalPackage<Module>(name: string, version: string): Promise<Module> {
  try {
    return (await import(name)) as Module;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    console.log(`skipped: ${name} isn’t installed; npm install --no-save ${name}@${version}`);
    process.exit(0);
  }
}
