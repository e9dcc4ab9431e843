/** Numbers of the groups with the most samples, by descending samples and by name. Groups without any are left out. */
export function largestGroups(names: readonly string[], samples: Float64Array, most: number): readonly number[] {
  const isBefore = (a: number, b: number) => {
    const more = (samples[a] as number) - (samples[b] as number)
    return more === 0 ? (names[a] as string) < (names[b] as string) : more > 0
  }
  const largest: number[] = []
  for (let group = 0; group < names.length; group++) {
    const isFull = largest.length === most
    if (samples[group] === 0 || (isFull && !isBefore(group, largest[most - 1] as number))) continue
    let [from, until] = [0, largest.length]
    while (from < until) {
      const middle = (from + until) >> 1
      if (isBefore(group, largest[middle] as number)) until = middle
      else from = middle + 1
    }
    largest.splice(from, 0, group)
    if (isFull) largest.pop()
  }
  return largest
}
