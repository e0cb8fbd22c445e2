import boundaries from 'eslint-plugin-boundaries';
import tseslint from 'typescript-eslint';

/** What keeps the structure: who may import whom, one file that reads the environment, no hidden state. */

const environment = {
  object: 'process',
  property: 'env',
  message:
    'Only server/config.ts reads the environment, and packages/agent/main.ts that of the agent.',
};

const serverValues = {
  regex: '^#((server|shared)/(?!.*\\.schema\\.ts$)|db/)',
  allowTypeImports: true,
  message:
    'The pages are a module graph of their own: a value of the server would exist twice. Take it from the request context; only types and *.schema.ts may be imported.',
};

/** A module's state would be shared by all visitors whose pages the server renders. */
const moduleState = {
  selector: ':matches(Program, Program > ExportNamedDeclaration) > VariableDeclaration[kind="let"]',
  message: 'A module keeps no state: use a hook, a context, or a .client module.',
};

/** The rooms, and what each may import beside itself. CONTRIBUTING.md draws the map. */
const ROOMS = [
  { type: 'route', pattern: 'app/routes' },
  { type: 'feature', pattern: 'app/features/*', capture: ['feature'] },
  { type: 'ui', pattern: 'app/ui' },
  { type: 'lib', pattern: 'app/lib' },
  { type: 'style', pattern: 'app/styles' },
  {
    type: 'domain',
    pattern:
      'server/(mesh|identity|computes|registry|registry-log|registration|search|outages|notifications|review|payments|accounts|webhook|status|genesis|truth|history|removal|pictures|geography)',
    capture: ['domain'],
  },
  { type: 'live', pattern: 'server/live' },
  { type: 'common', pattern: 'server/common' },
  { type: 'trpc', pattern: 'server/trpc' },
  { type: 'http', pattern: 'server/http' },
  { type: 'cli', pattern: 'server/cli' },
  { type: 'process', pattern: 'server' },
  { type: 'db', pattern: 'db' },
  { type: 'client', pattern: 'client' },
  { type: 'shared', pattern: 'shared' },
  // From the root: the agent has a folder of this name.
  { type: 'peer', pattern: 'peer', partialMatch: false },
  { type: 'agent', pattern: 'agent' },
  { type: 'app', pattern: 'app' },
];

const FILES = [
  { category: 'source', pattern: '**/*.{ts,tsx,css,svg}' },
  { category: 'schema', pattern: '**/*.schema.ts' },
  { category: 'table', pattern: '**/*.table.ts' },
  { category: 'procedures', pattern: '**/*.procedures.ts' },
  { category: 'openapi', pattern: '**/*.openapi.ts' },
  { category: 'index', pattern: 'server/*/index.ts' },
  { category: 'config', pattern: 'server/{config,log,services}.ts' },
];

const types = (...anyOf) => ({ element: { types: { anyOf } } });
const file = (category) => ({ file: { categories: category } });

const POLICIES = [
  // Pages: routes → features → ui → lib. Of the server they see types and schemas (rule above).
  {
    from: types('route', 'app'),
    allow: {
      to: types(
        'app',
        'route',
        'feature',
        'ui',
        'lib',
        'style',
        'domain',
        'common',
        'trpc',
        'http',
        'live',
      ),
    },
  },
  {
    from: types('feature'),
    // Types of a route's loader only.
    allow: {
      to: types('route', 'feature', 'ui', 'lib', 'domain', 'common', 'trpc', 'http', 'live'),
    },
  },
  { from: types('ui'), allow: { to: types('lib', 'domain', 'common') } },
  { from: types('lib'), allow: { to: types('domain', 'common', 'trpc', 'http', 'live') } },
  // Server: the process composes, HTTP and tRPC call domains, domains build on live, common and db.
  {
    from: types('process', 'cli', 'http', 'trpc'),
    allow: { to: types('process', 'http', 'trpc', 'domain', 'live', 'common', 'db') },
  },
  { from: types('domain'), allow: { to: types('domain', 'live', 'common', 'db') } },
  { from: types('live', 'common'), allow: { to: types('live', 'common', 'db') } },
  { from: types('db'), allow: { to: file('table') } },
  // What the service and the agent have in common knows neither. Pages take its schemas (rule above).
  {
    from: types('route', 'feature', 'lib', 'process', 'cli', 'http', 'trpc', 'domain', 'common'),
    allow: { to: types('shared') },
  },
  // The peer protocol knows neither the service nor the agent that runs it.
  { from: types('peer'), allow: { to: types('peer', 'shared') } },
  // The agent is a program of its own: of the service it knows what is sent to it.
  { from: types('agent'), allow: { to: types('agent', 'client', 'peer', 'shared') } },
  { from: types('agent'), allow: { to: file('schema') } },
  // A domain's door is its index.ts; schemas and tables may be imported as they are.
  {
    from: types(
      'domain',
      'live',
      'common',
      'http',
      'cli',
      'process',
      'route',
      'feature',
      'ui',
      'lib',
      'app',
    ),
    disallow: {
      to: {
        element: { types: { anyOf: ['domain'] } },
        file: { categories: { noneOf: ['index', 'schema'] } },
      },
    },
    message: 'Import another domain through its index.ts.',
  },
  { from: file('openapi'), allow: { to: types('http') } },
  { from: types('http'), allow: { to: file('openapi') } },
  { from: file('procedures'), allow: { to: types('trpc') } },
  { from: types('trpc'), allow: { to: file('procedures') } },
  { from: file('procedures'), allow: { to: file('procedures') } },
  { from: file('table'), allow: { to: file('table') } },
  // Configuration, log and the type of all services are known everywhere.
  {
    from: types('domain', 'common', 'live', 'route', 'feature', 'lib'),
    allow: { to: file('config') },
  },
  // The context that every service function gets is made of types of the domains.
  {
    from: types('common', 'live'),
    allow: { to: file('index'), dependency: { kind: 'type' } },
  },
];

/** Only the rules of the house, without types: oxlint has all others (.oxlintrc.json). */
export default tseslint.config(
  {
    // None of these rules applies to them.
    ignores: [
      'build',
      'data',
      'test-results',
      'playwright-report',
      'e2e',
      'scripts',
      'test',
      '*.config.ts',
      '**/*.{js,mjs,cjs}',
    ],
  },
  {
    files: ['**/*.{ts,tsx}'],
    languageOptions: { parser: tseslint.parser },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: { 'no-restricted-properties': ['error', environment] },
  },
  {
    files: ['app/**/*.{ts,tsx}'],
    ignores: ['**/*.test.ts'],
    plugins: { '@typescript-eslint': tseslint.plugin },
    rules: { '@typescript-eslint/no-restricted-imports': ['error', { patterns: [serverValues] }] },
  },
  {
    files: ['app/**/*.{ts,tsx}'],
    ignores: ['**/*.client.{ts,tsx}', '**/*.test.ts'],
    rules: { 'no-restricted-syntax': ['error', moduleState] },
  },
  {
    files: ['{agent,app,server,db,peer,shared}/**/*.{ts,tsx}'],
    ignores: ['**/*.test.ts'],
    plugins: { boundaries },
    settings: {
      'import/resolver': {
        [new URL('./scripts/eslint-resolver.cjs', import.meta.url).pathname]: {},
      },
      'boundaries/elements': ROOMS,
      'boundaries/files': FILES,
    },
    rules: {
      'boundaries/dependencies': ['error', { default: 'disallow', policies: POLICIES }],
    },
  },
  {
    files: ['server/config.ts', 'packages/agent/main.ts', '**/*.test.ts'],
    rules: { 'no-restricted-properties': 'off' },
  },
);
