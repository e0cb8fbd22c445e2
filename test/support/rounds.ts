/**
 * How much longer than in a usual run the fault and property tests go on: TEST_ROUNDS=10 before a
 * release, when there is time.
 */
export const MORE = Math.max(1, Number(process.env['TEST_ROUNDS'] ?? 1) || 1);
