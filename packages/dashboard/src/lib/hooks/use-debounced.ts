import { useEffect, useState } from 'react'

/** A value once it has been stable for a while; before the first one `initial`. */
export function useDebounced<T>(value: T, ms: number, initial = value): T {
  const [settled, setSettled] = useState(initial)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms)
    return () => clearTimeout(timer)
  }, [value, ms])
  return settled
}
