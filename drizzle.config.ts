import { defineConfig } from 'drizzle-kit';

/** `npm run db:generate` writes a SQL migration for what changed in db/schema/index.ts. */
export default defineConfig({
  casing: 'snake_case',
  dialect: 'postgresql',
  schema: './db/schema/index.ts',
  out: './db/migrations',
});
