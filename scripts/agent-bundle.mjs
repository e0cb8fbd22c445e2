/** How the agent is bundled: one file without dependencies. */
export const agentBundle = {
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  // Names stay, for stack traces.
  minifyWhitespace: true,
  minifySyntax: true,
  legalComments: 'none',
  logLevel: 'warning',
};

/** Commander is CommonJS, and requires modules of Node. */
export const REQUIRE = `import { createRequire as __createRequire } from 'node:module';
const require = __createRequire(import.meta.url);`;
