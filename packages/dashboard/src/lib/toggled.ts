/** The set with this one added, or removed if it has it. */
export function toggled<T>(set: ReadonlySet<T>, one: T): Set<T> {
  const next = new Set(set)
  if (!next.delete(one)) next.add(one)
  return next
}
