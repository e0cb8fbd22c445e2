/**
 * By how much every time limit of the tests is multiplied: `SLOW=3 npm test` on a machine that is busy with other work.
 * At least 1.
 */
export const SLOW = Math.max(1, Number(process.env['SLOW'] ?? 1) || 1);
