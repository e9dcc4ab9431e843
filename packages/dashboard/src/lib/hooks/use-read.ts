import { type DependencyList, useEffect, useState } from 'react'

/** What was read last; null before. `read` runs when the dependencies change; null: there is nothing to read yet. */
export function useRead<T>(read: (() => Promise<T>) | null, dependencies: DependencyList): T | null {
  const [result, setResult] = useState<T | null>(null)
  useEffect(() => {
    let wanted = read !== null
    void read?.().then((value) => wanted && setResult(value))
    return () => {
      wanted = false
    }
  }, dependencies)
  return result
}
