import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const EXPORT = readFileSync(join(import.meta.dirname, 'exports', 'cash-app.csv'), 'utf8');

/** The payment app's export, its `@NAME` replaced by the payment note of the registration of this name, in the case it has there. */
export function exportFor(rows: { name: string; note: string }[]): string {
  return EXPORT.replace(/@([A-Za-z]+)/g, (asked, name: string) => {
    const note = rows.find((row) => row.name === name.toLowerCase())?.note;
    if (note === undefined) return asked;
    return name === name.toLowerCase() ? note.toLowerCase() : note;
  });
}
