import tseslint from 'typescript-eslint';
import { houseRule } from './scripts/house.mjs';

/** What keeps the structure: who may import whom, one file that reads the environment, no hidden state. */

const environment = {
  object: 'process',
  property: 'env',
  message:
    'Only server/config.ts reads the environment, and packages/agent/main.ts that of the agent.',
};

/** A module's state would be shared by all visitors whose pages the server renders. */
const moduleState = {
  selector: ':matches(Program, Program > ExportNamedDeclaration) > VariableDeclaration[kind="let"]',
  message: 'A module keeps no state: use a hook, a context, or a .client module.',
};

/** New columns render every row of a table again, however few of them have changed. */
const inlineColumns = {
  selector:
    'JSXAttribute[name.name="columns"] > JSXExpressionContainer > :matches(ArrayExpression, CallExpression)',
  message:
    'Columns stand in a constant of the module or in useMemo: new ones render every row again.',
};

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
    ignores: ['**/*.client.{ts,tsx}', '**/*.test.ts'],
    rules: { 'no-restricted-syntax': ['error', moduleState, inlineColumns] },
  },
  {
    files: ['{app,db,packages,server}/**/*.{ts,tsx}'],
    ignores: ['**/*.test.ts'],
    plugins: { house: { rules: { down: houseRule } } },
    rules: { 'house/down': 'error' },
  },
  {
    files: ['server/config.ts', 'packages/agent/main.ts', '**/*.test.ts'],
    rules: { 'no-restricted-properties': 'off' },
  },
);
