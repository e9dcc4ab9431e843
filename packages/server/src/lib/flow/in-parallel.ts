/**
 * Runs `work` for each item, at most `mostAtOnce` at a time, and resolves with the results in the order of the items.
 * After a failure nothing more is started; it rejects with the first failure when all running work has ended.
 */
export async function inParallel<T, R>(
  items: readonly T[],
  mostAtOnce: number,
  work: (item: T, index: number) => Promise<R>,
): Promise<R[]> {
  const results: R[] = []
  const failures: unknown[] = []
  let next = 0
  const lane = async (): Promise<void> => {
    while (next < items.length && failures.length === 0) {
      const index = next++
      try {
        results[index] = await work(items[index]!, index)
      } catch (error) {
        failures.push(error)
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(mostAtOnce, items.length) }, lane))
  if (failures.length > 0) throw failures[0]
  return results
}
