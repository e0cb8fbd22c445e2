/**
 * How long the tests with random input and the crash tests go on. Short by default; `TEST_ROUNDS=10`
 * before a release takes ten times as long.
 */
const TEST_ROUNDS = Math.max(1, Number(process.env['TEST_ROUNDS'] ?? 1) || 1);

/** @param usual the number of rounds in an ordinary run */
export const rounds = (usual: number): number => usual * TEST_ROUNDS;
