import { useEffect, useState } from 'react'

/**
 * The value once it has been stable for this long; null until then. For data loaded while a pointer moves or a list
 * scrolls.
 */
export function useStableValue<T>(value: T, delayMs: number): T | null {
  const [stable, setStable] = useState<{ readonly value: T } | null>(null)
  useEffect(() => {
    const timer = setTimeout(() => setStable({ value }), delayMs)
    return () => clearTimeout(timer)
  }, [value, delayMs])
  return stable !== null && stable.value === value ? value : null
}
