/** Runs of a property on a real engine. SPOOR_TEST_TIMES=10 is the long form: ten times as many. */
export function times(runs: number): number {
  return runs * Number(process.env['SPOOR_TEST_TIMES'] ?? 1)
}
