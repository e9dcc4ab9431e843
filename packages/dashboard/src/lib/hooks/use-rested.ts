import { useEffect, useState } from 'react'

/**
 * The value once it has stayed the same for so long; null until then. For what is asked for while a pointer moves or a
 * list scrolls.
 */
export function useRested<T>(value: T, restMs: number): T | null {
  const [rested, setRested] = useState<{ readonly value: T } | null>(null)
  useEffect(() => {
    const timer = setTimeout(() => setRested({ value }), restMs)
    return () => clearTimeout(timer)
  }, [value, restMs])
  return rested !== null && rested.value === value ? value : null
}
