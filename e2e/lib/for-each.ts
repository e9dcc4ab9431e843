/** Calls `act` with every value, a few at a time. */
export async function forEach<T>(values: readonly T[], act: (value: T) => Promise<void>): Promise<void> {
  const AT_ONCE = 8
  const left = values.values()
  const worker = async () => {
    for (const value of left) await act(value)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
}
