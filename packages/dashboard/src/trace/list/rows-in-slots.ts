/**
 * The rows from `from` up to `to`, in the order in which their elements stand. A row keyed by its number modulo `slots`
 * takes over the element of one that has gone; in this order none of them is moved while `from` changes, which would be
 * as much work as to make it anew. At `rest` equal to `from` they stand from the top.
 */
export function rowsInSlots(from: number, to: number, slots: number, rest: number): number[] {
  const rows: number[] = []
  for (let at = 0; at < slots; at += 1) {
    const slot = (rest + at) % slots
    const row = from + ((((slot - from) % slots) + slots) % slots)
    if (row < to) rows.push(row)
  }
  return rows
}
