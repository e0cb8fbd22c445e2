import tseslint from 'typescript-eslint';

/** What keeps the structure: the environment is read in one place, and routes take services from their context. */
const environment = {
  object: 'process',
  property: 'env',
  message: 'The environment is read in server/config.ts only.',
};
const serverValues = {
  regex: '/^#(server/(?!.*\\.schema\\.ts$)|db/)',
  allowTypeImports: true,
  message:
    'The pages are a module graph of their own: a value from the server would exist twice. Take it from the request context; types and *.schema.ts may be imported.',
};

export default tseslint.config(
  { ignores: ['build', 'data', 'node_modules', 'test-results', 'playwright-report'] },
  {
    files: ['**/*.{ts,tsx}'],
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: {
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      'no-restricted-properties': ['error', environment],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_' },
      ],
      // Handlers of routes are functions that need no this.
      '@typescript-eslint/only-throw-error': 'error',
      eqeqeq: 'error',
    },
  },
  {
    files: ['app/**/*.{ts,tsx}'],
    rules: { '@typescript-eslint/no-restricted-imports': ['error', { patterns: [serverValues] }] },
  },
  {
    files: ['server/config.ts', 'scripts/**', 'test/**', 'e2e/**', '**/*.config.ts'],
    rules: { 'no-restricted-properties': 'off' },
  },
  {
    // Answers of a server are looked at as they are.
    files: ['test/**', 'e2e/**', '**/*.test.ts'],
    rules: {
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      '@typescript-eslint/unbound-method': 'off',
    },
  },
);
